import type { Quantity } from '../../spec/quantity';
import type { ParallelSettings } from '../../spec/values';
import { oneOf } from '../engine/readers';
import type { RunReader } from '../engine/runReader';
import { valueText } from '../shared/words';

/** `-` in a key becomes `_` when it is loaded: both spellings of one key. */
const both = (key: string): readonly string[] => [key, key.replaceAll('_', '-')];

/** The spelling that is there; the first where none is. */
export const spelled = (run: RunReader, key: string): string => both(key).find(one => run.has(one)) ?? key;

const HALF = oneOf<string>({ fp16: 'fp16', bfloat16: 'bf16', fp32: 'fp32' });

/** `precision`, else the sections of DeepSpeed (megatron/neox_arguments/arguments.py). */
export function precision(run: RunReader): Quantity<string> {
  if (run.has('precision')) return run.at('precision', run.read('precision', HALF));
  if (run.flag('fp16.enabled') === true) {
    const type = run.word('fp16.type') ?? 'fp16';
    return run.at('fp16.enabled', type === 'bfloat16' ? 'bf16' : 'fp16');
  }
  if (run.flag('bf16.enabled') === true) return run.at('bf16.enabled', 'bf16');
  return run.byDefault('fp32', 'megatron/neox_arguments: fp16 is None');
}

export function precisionRaw(run: RunReader): Quantity<string> {
  const key = ['precision', 'fp16.enabled', 'bf16.enabled'].find(one => run.has(one));
  return key === undefined
    ? run.unknown('No precision key is set.')
    : run.at(key, `${key} ${valueText(run.value(key))}`);
}

export function optimizer(run: RunReader): Quantity<string> {
  return run.has('optimizer.type')
    ? run.at('optimizer.type', run.word('optimizer.type'))
    : run.unknown('optimizer.type is not set.');
}

export function checkpointing(run: RunReader): Quantity<boolean> {
  const key = spelled(run, 'checkpoint_activations');
  return run.has(key)
    ? run.at(key, run.flag(key))
    : run.byDefault(false, 'megatron/neox_arguments: checkpoint_activations is False');
}

/** 0 pipeline stages: no pipeline engine at all. */
export function parallel(run: RunReader): Quantity<ParallelSettings> {
  const keys = ['model_parallel_size', 'pipe_parallel_size'].map(key => spelled(run, key));
  const degrees = keys.map(key => Math.max(1, Number(run.value(key) ?? 1)));
  if (!keys.some(key => run.has(key))) return run.none('megatron/neox_arguments: both sizes are 1');
  const [tensor = 1, pipeline = 1] = degrees;
  return run.at(keys, { tensor, context: 1, pipeline, expert: 1, dataShard: null, dataReplicate: null });
}

export function strategy(run: RunReader): Quantity<string> {
  const degrees = run.get('parallel').value;
  const words = `zero${run.get('zeroStage').value ?? 0} pp${degrees?.pipeline ?? 1} mp${degrees?.tensor ?? 1}`;
  return run.derived(words, ['zero_optimization', 'parallel'], 'ZeRO, stages and ranks that share heads');
}
