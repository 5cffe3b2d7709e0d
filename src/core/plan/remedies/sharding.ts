import type { Remedy, RemedyOption } from '../remedy';
import { said, template } from '../../text/say';

/** What each ZeRO stage shards in addition to the previous one, and its cost. */
const STAGES = [
  { stage: 1, what: template('slower (more communication): shards optimizer states'), time: 1.02 },
  { stage: 2, what: template('slower (more communication): shards gradients'), time: 1.05 },
  { stage: 3, what: template('slower (more communication): shards weights'), time: 1.25 },
] as const;

/** Shards more of the training state among the GPUs (DeepSpeed ZeRO). The mathematics is the same. */
export const sharding: Remedy = {
  id: 'sharding',
  label: template('the ZeRO stage'),
  sources: [
    'Rajbhandari et al., arXiv 1910.02054: stage 3 moves half as much again over the wires as stages 1 and 2',
    'memory formulas, ZeRO',
  ],
  less: ({ run, target, say }) => {
    const now = run.quantities.zeroStage.value;
    const gpus = run.quantities.gpus.value ?? target?.count ?? 1;
    if (now === null || gpus < 2) return [];
    return STAGES.filter(({ stage }) => stage > now).map(({ stage, what, time }): RemedyOption => {
      const before = STAGES.find(one => one.stage === now)?.time ?? 1;
      return {
        changes: [{ quantity: 'zeroStage', to: stage }],
        price: {
          time: time / before,
          speed: said(say, what),
          quality: null,
        },
      };
    });
  },
};
