import type { Quantity } from '../../spec/quantity';
import type { Launched } from '../../spec/runSpec';
import type { QuantityName, QuantityValues } from '../../spec/values';
import type { Rule } from '../dialect';
import type { RunReader } from './runReader';

/** Quantities that follow from others in every dialect; a dialect's own answer wins. */
export const commonRules: { readonly [Name in QuantityName]?: Rule<QuantityValues[Name]> } = {
  gpus: run => {
    const devices = run.get('devices').value;
    const nodes = run.get('nodes').value ?? (isServer(run) ? 1 : null);
    if (typeof devices !== 'number' || nodes === null) {
      return run.unknown('The number of GPUs is not in the files.');
    }
    return run.derived(devices * nodes, ['devices', 'nodes'], `${devices} per node × ${nodes}`);
  },
  effectiveBatch,
};

/** What a launcher says. An engine takes as many of the GPUs that it sees as its ranks need. */
export function launchedQuantity(
  run: RunReader,
  launched: Launched,
  name: QuantityName,
): Quantity<never> | undefined {
  const count = launched.devices?.value;
  if (name === 'gpus' && typeof count === 'number') {
    return commonRules.gpus?.(run) as Quantity<never> | undefined;
  }
  const isServed = name === 'devices' && count === null && run.get('task').value === 'infer';
  if (isServed && run.get('parallel').value !== null) return undefined;
  return (launched as Readonly<Record<string, unknown>>)[name] as Quantity<never> | undefined;
}

/** An engine that is told of no other machine runs on one (vLLM, SGLang: nnodes is 1). */
const isServer = (run: RunReader): boolean => run.get('task').value === 'infer' && !run.has('nnodes');

function effectiveBatch(run: RunReader): Quantity<number> {
  const global = run.get('globalBatchSize').value;
  if (global !== null) return run.derived(global, ['globalBatchSize'], 'the global batch');
  const micro = run.get('microBatchSize').value;
  const accumulation = run.get('gradAccum').value;
  if (micro === null || accumulation === null) {
    return run.unknown(`The ${micro === null ? 'micro batch' : 'gradient accumulation'} is not known.`);
  }
  const perGpu = `${micro} × ${accumulation}`;
  const gpus = run.get('gpus').value;
  if (gpus === null) {
    return run.unknown(
      `${perGpu} = ${micro * accumulation} per GPU; the number of GPUs is not in the files.`,
    );
  }
  if (gpus === 0) {
    return run.derived(micro * accumulation, ['microBatchSize', 'gradAccum', 'gpus'], perGpu);
  }
  const { shards, words } = modelShards(run);
  const replicas = gpus / shards;
  if (!Number.isInteger(replicas)) return run.unknown(`${gpus} GPUs cannot hold replicas of ${shards}.`);
  return run.derived(
    micro * accumulation * replicas,
    ['microBatchSize', 'gradAccum', 'gpus', ...(shards > 1 ? ['parallel'] : [])],
    `${perGpu} × ${gpus} GPUs${words}`,
  );
}

/** GPUs that share one replica's samples: tensor, context and pipeline ranks. */
function modelShards(run: RunReader): { shards: number; words: string } {
  const { tensor, context, pipeline } = run.get('parallel').value ?? { tensor: 1, context: 1, pipeline: 1 };
  const shards = tensor * context * pipeline;
  return { shards, words: shards > 1 ? ` ÷ ${shards} per replica` : '' };
}

/** A program without a CUDA GPU still takes its batches, in one process on the CPU or Apple's GPU. */
const processesOf = (gpus: number): number => Math.max(gpus, 1);

/** For dialects with a global batch: global ÷ (micro × data-parallel GPUs). */
export function accumulationFromGlobal(run: RunReader): Quantity<number> {
  const global = run.get('globalBatchSize').value;
  const { value: micro, unit = 'samples' } = run.get('microBatchSize');
  const gpus = run.get('gpus').value;
  if (global === null || micro === null || gpus === null) {
    return run.unknown('Accumulation follows from the global batch, the micro batch and the number of GPUs.');
  }
  const ranks = processesOf(gpus) / modelShards(run).shards;
  if (unit === 'tokens') return accumulationOfTokens(run, global / ranks, micro);
  const steps = global / (micro * ranks);
  if (!Number.isInteger(steps)) return run.unknown(`${global} is not a multiple of ${micro} × ${gpus} GPUs.`);
  return run.derived(
    steps,
    ['globalBatchSize', 'microBatchSize', 'gpus'],
    gpus === 0 ? `${global} ÷ ${micro}` : `${global} ÷ (${micro} × ${gpus} GPUs)`,
  );
}

/** Micro batches that are filled up to a number of tokens: as many as rows of the longest length need. */
function accumulationOfTokens(run: RunReader, rows: number, limit: number): Quantity<number> {
  const longest = run.get('seqLen').value;
  if (longest === null) return run.unknown('How many rows a micro batch of tokens has, their lengths say.');
  const each = Math.max(1, Math.floor(limit / longest));
  return run.derived(
    Math.ceil(rows / each),
    ['globalBatchSize', 'microBatchSize', 'gpus', 'seqLen'],
    `${rows} rows per GPU ÷ ${each} of the longest in ${limit} tokens, at most`,
  );
}

const PER_DEVICE: ReadonlySet<QuantityName> = new Set<QuantityName>(['microBatchSize', 'evalBatchSize']);

/** True for quantities per GPU. */
export const isPerDevice = (name: QuantityName): boolean => PER_DEVICE.has(name);

/** One GPU's share of a number that a dialect states for all GPUs together. */
export function shareOfGlobal<T>(run: RunReader, total: Quantity<T>): Quantity<T> {
  const gpus = run.get('gpus').value;
  if (typeof total.value !== 'number') return total;
  return { ...share<T>(run, total.value, gpus), total: total.value };
}

function share<T>(run: RunReader, total: number, gpus: number | null): Quantity<T> {
  if (gpus === null) return run.unknown(`${total} over all GPUs, whose number is not in the files.`);
  const each = total / gpus;
  if (!Number.isInteger(each)) return run.unknown(`${total} cannot be shared among ${gpus} GPUs.`);
  return run.derived(each as T, ['gpus'], `${total} ÷ ${gpus} GPUs`);
}
