import { builtIn } from './defined/compile';
import file from './vllm.yaml';
import type { Dialect } from './dialect';
import { count } from './engine/readers';
import type { ReadResult } from './engine/readers';
import type { Plain } from '../yaml/scalars';
import { overChart } from './envelopes/helm';
import { valuesReader } from './serverArguments';
import { vllmRuns } from './vllm/charts';
import { vllmExtras } from './vllm/extras';

const UNITS: Readonly<Record<string, number>> = { k: 1000, K: 1024, m: 1e6, M: 1024 ** 2 };

/** `8192`, `8k`, `25.6k`; -1 and auto mean as many as fit (vllm/engine/arg_utils.py, human_readable_int). */
function tokens(value: Plain): ReadResult<number> {
  const match = /^(\d+(?:\.\d+)?)([kKmM])$/.exec(typeof value === 'string' ? value : '');
  if (match) return { ok: Math.floor(Number(match[1]) * (UNITS[match[2] ?? ''] ?? 1)) };
  return value === -1 || value === 'auto' ? { left: 'is what fits, which the engine finds' } : count(value);
}

/** vLLM's servers: `--config` files, Helm values, recipes, and commands; vllm-project/vllm 002f10e0. */
export const vllm: Dialect = builtIn(file, {
  accepts: root => !root.entries.some(({ key }) => key === 'free_cache_engine'),
  quantities: { seqLen: { read: tokens } },
  details: { servedExtras: vllmExtras },
  compose: overChart(vllmRuns, valuesReader),
});
