import type { Quantity } from '../../spec/quantity';
import type { OtherModel } from '../../spec/values';
import type { DetailTable } from '../dialect';
import type { RunReader } from '../engine/runReader';

/** Tokens that PPO's policy writes for a prompt (hparams/generating_args.py). */
function newTokens(run: RunReader): number {
  return run.count('max_new_tokens') ?? 1024;
}

const isPpo = (run: RunReader): boolean => run.get('task').value === 'ppo';

/** Samples are cut to `cutoff_len`; PPO cuts prompts to it, and writes on. */
export function seqLen(run: RunReader): Quantity<number> {
  const key = 'cutoff_len';
  const cut = run.count(key);
  if (isPpo(run)) {
    const [prompt, written] = [cut ?? CUT, newTokens(run)];
    return run.derived(prompt + written, [key, 'max_new_tokens'], `${prompt} prompt + ${written} completion`);
  }
  return cut === null ? run.byDefault(CUT, 'hparams/data_args.py L46') : run.at(key, cut);
}

/** hparams/data_args.py L46 */
const CUT = 2048;

/** What PPO writes, and the models beside the policy (train/ppo/trainer.py, train/trainer_utils.py). */
export const written: DetailTable = {
  completionTokens: run => {
    if (!isPpo(run)) return run.none('this task writes nothing');
    return run.has('max_new_tokens')
      ? run.at('max_new_tokens', newTokens(run))
      : run.byDefault(newTokens(run), 'hparams/generating_args.py: max_new_tokens is 1024');
  },
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
