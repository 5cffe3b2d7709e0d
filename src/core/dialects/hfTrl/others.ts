import type { OtherModel } from '../../spec/values';
import type { DetailTable } from '../dialect';

/** A trainer's other models: teachers, reward and value models. */
export const others: DetailTable = {
  otherModels: run => {
    const task = run.get('task').value;
    if (task === 'gkd') {
      const key = 'teacher_model_name_or_path';
      return run.at<readonly OtherModel[]>(key, [{ role: 'teacher', model: run.word(key) }]);
    }
    if (task !== 'ppo' && task !== 'online_dpo') return run.none('this task has no other models');
    const key = 'reward_model_path';
    if (!run.has(key) && task === 'online_dpo') return run.none('no key names a reward model');
    return run.at<readonly OtherModel[]>(key, [{ role: 'reward', model: run.word(key) }]);
  },
  valueModel: run =>
    run.get('task').value === 'ppo' && run.atLeast('0.12.0')
      ? run.byDefault(true, 'trl ppo_trainer.py: PolicyAndValueWrapper')
      : run.none('no values are trained, or by a head on the policy'),
};
