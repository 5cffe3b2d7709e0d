import { builtIn } from './defined/compile';
import file from './opennmt.yaml';
import type { Quantity } from '../spec/quantity';
import type { Dialect } from './dialect';
import type { RunReader } from './engine/runReader';
import { counted, effectiveOfMicro } from './shared/toolkit';

const OPTS = 'onmt/opts.py';

/** `accum_count: [2, 4]` with `accum_steps: [0, 1000]`: it may change during the run. */
function accumulation(run: RunReader): Quantity<number> {
  const value = run.value('accum_count');
  if (value === null) return run.byDefault(1, `${OPTS}: accum_count is [1]`);
  const counts = (Array.isArray(value) ? value : [value]).map(Number);
  if (new Set(counts).size !== 1) return run.unknown('accum_count changes during the run.');
  return run.at('accum_count', counts[0] ?? null);
}

function batch(key: string, type: string) {
  return (run: RunReader): Quantity<number> | null =>
    counted(run, key, (run.word(type) ?? 'sents') === 'tokens' ? 'tokens' : 'sentences');
}

/** `world_size` counts processes, one for each GPU; without `gpu_ranks` the processor trains. */
function devices(run: RunReader): Quantity<number | 'auto'> {
  const ranks = run.value('gpu_ranks');
  if (ranks === null || (Array.isArray(ranks) && ranks.length === 0)) {
    return run.byDefault<number>(0, `${OPTS}: without gpu_ranks the CPU trains`);
  }
  const world = run.count('world_size');
  const formula = 'world_size processes, one for each GPU';
  if (world !== null) return run.derived(world, ['world_size'], formula);
  return run.derived(1, ['gpu_ranks'], `${OPTS}: world_size is 1`);
}

/** OpenNMT-py's training configs; sources are files of OpenNMT/OpenNMT-py 97111d9. */
export const opennmt: Dialect = builtIn(file, {
  quantities: {
    microBatchSize: run =>
      batch('batch_size', 'batch_type')(run) ??
      run.inUnit('sentences', run.byDefault(64, `${OPTS}: batch_size is 64`)),
    evalBatchSize: run =>
      batch('valid_batch_size', 'valid_batch_type')(run) ??
      run.unknown('valid_batch_size is not set: 32 is the default.'),
    effectiveBatch: effectiveOfMicro,
    gradAccum: accumulation,
    precision: run => {
      const name = run.word('model_dtype');
      if (name === null) return run.byDefault('fp32', `${OPTS}: model_dtype is fp32`);
      return name === 'fp16' ? run.at('model_dtype', 'fp16-mixed') : run.at('model_dtype', name);
    },
    accelerator: run =>
      run.get('devices').value === 0 ? run.byDefault('cpu', OPTS) : run.byCode('cuda', `${OPTS}: gpu_ranks`),
    devices,
  },
  writers: {
    gradAccum: (to, run) =>
      Array.isArray(run.value('accum_count'))
        ? { ok: false, why: 'accum_count is a list that goes with accum_steps.' }
        : { ok: true, writes: [{ key: 'accum_count', value: to, near: ['batch_size'] }] },
  },
});
