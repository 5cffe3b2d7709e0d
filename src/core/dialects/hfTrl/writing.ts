import type { DetailTable } from '../dialect';
import { number } from '../engine/readers';
import type { RunReader } from '../engine/runReader';
import { completionByDefault } from './rules';

const isPolicy = (run: RunReader): boolean => ['grpo', 'rloo'].includes(run.get('task').value ?? '');

/** Who writes completions, how long and how many: GRPO and RLOO. */
export const writing: DetailTable = {
  completionTokens: run => {
    if (!isPolicy(run)) return run.none('this task writes nothing');
    const key = 'max_completion_length';
    if (run.has(key)) return run.at(key, run.count(key));
    return run.byDefault(completionByDefault(run), 'trl grpo_config.py: max_completion_length');
  },
  rolloutRows: run => {
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
    const key = 'vllm_gpu_memory_utilization';
    const stated = run.read(key, number);
    return stated === null
      ? run.byDefault(0.3, 'trl grpo_config.py: vllm_gpu_memory_utilization')
      : run.at(key, stated);
  },
};
