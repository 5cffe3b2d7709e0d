import { builtIn } from './defined/compile';
import file from './fairseq.yaml';
import type { Quantity } from '../spec/quantity';
import type { Dialect } from './dialect';
import type { RunReader } from './engine/runReader';

/** `update_freq: [8]` has one entry per epoch, the last for all later ones; `'[8]'` on command lines. */
function accumulation(run: RunReader): Quantity<number> {
  const key = 'optimization.update_freq';
  const value = run.value(key);
  if (value === null) return run.byDefault(1, 'fairseq/dataclass/configs.py: update_freq is [1]');
  const steps = [value]
    .flat()
    .map(step => (typeof step === 'object' ? '' : String(step)))
    .join(',')
    .replaceAll(/[[\]\s]/g, '')
    .split(',')
    .map(Number);
  if (steps.some(step => !Number.isInteger(step) || step < 1)) {
    return run.unknown(`${key} is not a list of whole numbers.`);
  }
  if (new Set(steps).size > 1) return run.unknown(`${key} differs from epoch to epoch.`);
  return run.at(key, steps[0] ?? null);
}

const FLAGS = [
  'common.memory_efficient_bf16',
  'common.memory_efficient_fp16',
  'common.bf16',
  'common.fp16',
] as const;

function precisionRaw(run: RunReader): Quantity<string> {
  const statedFlags = FLAGS.filter(key => run.has(key));
  if (statedFlags.length === 0) return run.unknown('No precision key is set.');
  const words = statedFlags.map(key => `${key.replace('common.', '')} ${String(run.flag(key))}`);
  return run.at(statedFlags, words.join(', '));
}

/** fairseq's Hydra configs; sources are files of facebookresearch/fairseq 3d262bb. */
export const fairseq: Dialect = builtIn(file, { quantities: { gradAccum: accumulation, precisionRaw } });
