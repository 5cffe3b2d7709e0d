import type { Positions } from '../models/model';
import { isUnknown } from '../spec/quantity';
import type { Rule } from './rule';
import { isStated } from './raw';

/** Keys that stretch a model's positions or replace its config. */
const OVERRIDES: readonly string[] = [
  'rope_scaling',
  'overrides_of_model_config',
  'model_config',
  'base_model_config',
  'model_init_kwargs',
  'config_overrides',
  'use_pose',
];

/** What happens beyond; the other ways to know the order of tokens have no end. */
const BEYOND: Partial<Record<Positions, string>> = {
  rope: 'positions beyond were never trained',
  learned: 'its table of positions ends there, and the run stops with an index error',
};

export const sequenceBeyondModel: Rule = {
  id: 'sequence-beyond-model',
  severity: 'warning',
  summary: 'Sequences are longer than the model supports.',
  sources: [
    'config.json max_position_embeddings: rotary models extrapolate beyond it, learned positions end there',
  ],
  check(context) {
    const { run, model } = context;
    const { seqLen, packing } = run.quantities;
    const most = model?.maxPositions ?? null;
    if (!model || most === null || seqLen.value === null || seqLen.value <= most) return [];
    // Packed rows restart their positions: the row may be longer than any sample.
    if (packing.value !== false || isUnknown(packing)) return [];
    if (OVERRIDES.some(key => isStated(context, key))) return [];
    const beyond = BEYOND[model.positions];
    if (beyond === undefined) return [];
    const message =
      `${seqLen.value} tokens exceed ${model.id}'s ${most} positions: ${beyond}. ` +
      'Shorten the sequences, choose a long-context model, or configure RoPE scaling where the model allows it.';
    return [{ at: ['quantity:seqLen'], message }];
  },
};
