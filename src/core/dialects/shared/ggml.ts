import { ggufName } from '../../models/gguf';
import type { Quantity } from '../../spec/quantity';
import type { GgmlSettings, Quantization } from '../../spec/values';
import type { RunReader } from '../engine/runReader';

/** Keys of llama.cpp's settings. */
interface GgmlKeys {
  readonly model: string;
  /** The file within the model's repository: it may state the mixture. */
  readonly file?: string;
  /** What a name of a model stands for. */
  readonly named?: (name: string) => string;
  readonly layers: readonly string[];
  readonly flash: readonly string[];
  readonly keys: readonly string[];
  readonly values: readonly string[];
  /** Keys and values stay on the host. */
  readonly hostCache: readonly string[];
  /** The same, said the other way round. */
  readonly gpuCache?: readonly string[];
  readonly wholeWindows: readonly string[];
  readonly unified?: readonly string[];
  readonly batch?: readonly string[];
  /** The stated context is each sequence's own. */
  readonly isPerSequence?: boolean;
  /** The number of first layers whose experts stay on the host. */
  readonly hostExperts?: readonly string[];
  /** Experts of all layers stay there: a switch, or patterns of tensors and their places. */
  readonly allHostExperts?: readonly string[];
  /** A program in whose words -1 layers are all of them (llama-cpp-python, llama_cpp/llama.py). */
  readonly allAtMinusOne?: readonly string[];
  /** The number of GPU layers if no key states it; null: as many as fit. */
  readonly usualLayers: number | null;
}

const firstOf = (run: RunReader, keys: readonly string[]): string | undefined =>
  keys.find(key => run.has(key));

/** `99`, `all`, `auto`; -1 means as many as fit, less means all (common/common.h). */
function layersOf(run: RunReader, { layers, usualLayers, allAtMinusOne = [] }: GgmlKeys): number | null {
  const key = firstOf(run, layers);
  const value = key === undefined ? usualLayers : run.value(key);
  if (value === 'all') return Number.MAX_SAFE_INTEGER;
  if (typeof value !== 'number') return null;
  if (value === -1 && flagOf(run, allAtMinusOne) !== true) return usualLayers;
  return value < 0 ? Number.MAX_SAFE_INTEGER : value;
}

function flagOf(run: RunReader, keys: readonly string[]): boolean | null {
  const key = firstOf(run, keys);
  const value = key === undefined ? null : run.value(key);
  if (value === true || value === 'on' || value === 'true' || value === 1) return true;
  return value === false || value === 'off' || value === 'false' || value === 0 ? false : null;
}

function numberOf(run: RunReader, keys: readonly string[], otherwise: number): number {
  const key = firstOf(run, keys);
  const value = key === undefined ? null : run.value(key);
  return typeof value === 'number' ? value : otherwise;
}

/** `exps=CPU`, `.ffn_.*_exps.=CPU`: experts of every layer. */
const EXPERTS_TO_HOST = /exps[^,=0-9]*=CPU/i;

function expertsOnHost(run: RunReader, { hostExperts = [], allHostExperts = [] }: GgmlKeys): number {
  const key = firstOf(run, allHostExperts);
  const isAll =
    key !== undefined && (flagOf(run, [key]) === true || EXPERTS_TO_HOST.test(run.word(key) ?? ''));
  return isAll ? Number.MAX_SAFE_INTEGER : numberOf(run, hostExperts, 0);
}

/** common/common.h: n_batch. */
const BATCH = 2048;

const typeOf = (run: RunReader, keys: readonly string[]): string => {
  const key = firstOf(run, keys);
  return (key === undefined ? null : run.word(key))?.toUpperCase() ?? 'F16';
};

/** A config's settings for llama.cpp, named after its flags. */
export const ggmlSettings =
  (keys: GgmlKeys) =>
  (run: RunReader): Quantity<GgmlSettings> => {
    const settings: GgmlSettings = {
      file:
        mixtureOf(run, [...(keys.file === undefined ? [] : [keys.file]), keys.model], keys.named)?.mixture ??
        null,
      gpuLayers: layersOf(run, keys),
      flashAttention: flagOf(run, keys.flash),
      keys: typeOf(run, keys.keys),
      values: typeOf(run, keys.values),
      cacheOnGpu: flagOf(run, keys.hostCache) !== true && flagOf(run, keys.gpuCache ?? []) !== false,
      wholeWindows: flagOf(run, keys.wholeWindows) === true,
      unified: flagOf(run, keys.unified ?? []) === true,
      isPerSequence: keys.isPerSequence === true,
      batch: numberOf(run, keys.batch ?? [], BATCH),
      expertsOnHost: expertsOnHost(run, keys),
    };
    const stated = [keys.model, ...keys.layers, ...keys.flash, ...keys.keys, ...keys.values].filter(key =>
      run.has(key),
    );
    return stated.length > 0
      ? run.at(stated, settings)
      : run.byCode(settings, 'llama.cpp serves a GGUF file');
  };

const same = (name: string): string => name;

/** The first key whose file name states a mixture. */
function mixtureOf(
  run: RunReader,
  keys: readonly string[],
  named: (name: string) => string = same,
): { readonly key: string; readonly mixture: string } | null {
  for (const key of keys) {
    const mixture = ggufName(named(run.word(key) ?? ''))?.mixture ?? null;
    if (mixture !== null) return { key, mixture };
  }
  return null;
}

/** The quantization in the file's name. */
export const ggmlQuantization =
  (keys: readonly string[], named: (name: string) => string = same) =>
  (run: RunReader): Quantity<Quantization> => {
    const found = mixtureOf(run, keys, named);
    if (found === null) return run.unknown('The name of the GGUF file does not say how it is quantized.');
    const digits = Number(/\d+/.exec(found.mixture)?.[0] ?? Number.NaN);
    const bits = digits === 2 || digits === 3 || digits === 4 || digits === 8 ? digits : null;
    return run.at(found.key, {
      bits,
      method: 'other',
      type: found.mixture,
      doubleQuant: null,
      computeDtype: null,
      storageDtype: null,
    });
  };
