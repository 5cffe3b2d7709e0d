import type { DetailTable } from '../dialect';
import { number } from '../engine/readers';
import type { RunReader } from '../engine/runReader';
import { completionByDefault } from './rules';

const isPolicy = (run: RunReader): boolean => ['grpo', 'rloo'].includes(run.get('task').value ?? '');

/** Length and number of the completions that GRPO and RLOO generate, and what generates them. */
export const writing: DetailTable = {
  completionTokens: run => {
    if (run.get('task').value === 'ppo') {
      const stated = run.count('response_length');
      return stated === null
        ? run.byDefault(53, 'trl ppo_config.py: response_length')
        : run.at('response_length', stated);
    }
    if (!isPolicy(run)) return run.none('this task writes nothing');
    const key = 'max_completion_length';
    if (run.has(key)) return run.at(key, run.count(key));
    return run.byDefault(completionByDefault(run), 'trl grpo_config.py: max_completion_length');
  },
  // trl ppo_trainer.py: all queries of an update, in parts with a cache each; the logits of all are kept.
  scoredRows: run => {
    const [rows, steps] = [run.get('microBatchSize').value, run.get('gradAccum').value];
    if (run.get('task').value !== 'ppo') return run.none('no logits are kept');
    if (rows === null || steps === null) return run.unknown('The size of an update is not known.');
    const parts = run.count('num_mini_batches') ?? 1;
    const formula = `${rows} × ${steps} × ${parts}`;
    return run.derived(rows * steps * parts, ['microBatchSize', 'gradAccum', 'num_mini_batches'], formula);
  },
  rolloutRows: run => {
    if (run.get('task').value === 'ppo') {
      const all = run.detail('scoredRows').value ?? 64;
      const part = run.count('local_rollout_forward_batch_size') ?? 64;
      return run.derived(Math.min(all, part), ['local_rollout_forward_batch_size'], 'rows of one part');
    }
    if (!isPolicy(run)) return run.none('this task writes nothing');
    const steps = run.count('steps_per_generation');
    const rows = run.get('microBatchSize').value;
    if (steps === null || rows === null) return run.unknown('As many as an optimizer step takes.');
    return run.derived(rows * steps, ['microBatchSize', 'steps_per_generation'], `${rows} × ${steps}`);
  },
  memoryShare: run => {
    if (!isPolicy(run) || !run.flag('use_vllm')) return run.none('no engine runs beside training');
    const mode = run.word('vllm_mode') ?? (run.atLeast('1.0.0') ? 'colocate' : 'server');
    if (mode !== 'colocate') return run.none('the engine is on other GPUs');
    if (run.flag('vllm_enable_sleep_mode')) return run.none('the engine sleeps while training runs');
    const key = 'vllm_gpu_memory_utilization';
    const stated = run.read(key, number);
    return stated === null
      ? run.byDefault(0.3, 'trl grpo_config.py: vllm_gpu_memory_utilization')
      : run.at(key, stated);
  },
};
