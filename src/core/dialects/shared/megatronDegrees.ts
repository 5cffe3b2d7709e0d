import type { Quantity } from '../../spec/quantity';
import type { ParallelSettings } from '../../spec/values';
import type { RunReader } from '../engine/runReader';

const DEGREES = [
  'tensor_model_parallel_size',
  'pipeline_model_parallel_size',
  'context_parallel_size',
  'expert_model_parallel_size',
] as const;

/** Parallel degrees by Megatron's names, below `section`; null if none is stated. */
export function megatronDegrees(run: RunReader, section = ''): Quantity<ParallelSettings> | null {
  const keys = DEGREES.map(name => `${section}${name}`);
  if (!keys.some(key => run.has(key))) return null;
  const [tensor = 1, pipeline = 1, context = 1, expert = 1] = keys.map(key => run.count(key) ?? 1);
  return run.at(keys, { tensor, pipeline, context, expert, dataShard: null, dataReplicate: null });
}
