import type { Quantity } from '../../spec/quantity';
import type { OtherModel } from '../../spec/values';
import type { DetailTable } from '../dialect';
import type { RunReader } from '../engine/runReader';
import { engine, servedLength } from './engine';

/** Tokens that are written for a prompt (hparams/generating_args.py). */
function newTokens(run: RunReader): number {
  return run.count('max_new_tokens') ?? 1024;
}

const isPpo = (run: RunReader): boolean => run.get('task').value === 'ppo';

/** Chats write answers; predictions do only where they are told to (train/sft/trainer.py), else they are one pass. */
function answers(run: RunReader): boolean {
  if (run.get('task').value !== 'infer' || run.has('save_dir') || engine(run) !== null) return false;
  return run.flag('do_predict') ? run.flag('predict_with_generate') === true : run.has('infer_backend');
}

/** Samples are cut to `cutoff_len`; what is written for a prompt of that length comes after it. */
export function seqLen(run: RunReader): Quantity<number> {
  const served = servedLength(run);
  if (served) return served;
  const key = 'cutoff_len';
  const cut = run.count(key);
  if (isPpo(run) || answers(run)) {
    const [prompt, written] = [cut ?? CUT, newTokens(run)];
    return run.derived(prompt + written, [key, 'max_new_tokens'], `${prompt} prompt + ${written} completion`);
  }
  return cut === null ? run.byDefault(CUT, 'hparams/data_args.py L46') : run.at(key, cut);
}

const lengthOfAnswer = (run: RunReader): Quantity<number> =>
  run.has('max_new_tokens')
    ? run.at('max_new_tokens', newTokens(run))
    : run.byDefault(newTokens(run), 'hparams/generating_args.py: max_new_tokens is 1024');

/** hparams/data_args.py L46 */
const CUT = 2048;

/**
 * Details of PPO: the generated rows, and the models next to the policy (train/ppo/trainer.py,
 * train/trainer_utils.py).
 */
export const written: DetailTable = {
  generatedTokens: run => (answers(run) ? lengthOfAnswer(run) : run.none('this task writes no answers')),
  completionTokens: run => (isPpo(run) ? lengthOfAnswer(run) : run.none('this task writes nothing')),
  rolloutRows: run => {
    if (!isPpo(run)) return run.none('this task writes nothing');
    return run.derived(run.get('microBatchSize').value, ['microBatchSize'], 'a mini batch at a time');
  },
  otherModels: run => {
    if (!isPpo(run)) return run.none('this task has no other models');
    if (run.word('reward_model_type') !== 'full') {
      return run.none('create_reward_model: an adapter on the same base, or a server');
    }
    const reward: OtherModel = { role: 'reward', model: run.word('reward_model') };
    return run.at('reward_model', [reward]);
  },
};
