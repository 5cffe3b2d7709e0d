import type { ModelFacts } from '../models/model';
import type { Serving } from './engine';
import type { MemoryRun } from './run';
import { stated } from './configValues';
import { layerTypes } from './blocks/layerKinds';
import { draftsOf } from './serving/drafts';
import { bytesPer } from './tensor';

/** An engine's KV cache in a given number of bytes. */
export interface CacheRoom {
  /** The part of the bytes that forms whole blocks. */
  readonly bytes: number;
  /** Tokens, as the engine reports them at startup. */
  readonly tokens: number;
  /** Number of sequences of the promised length that fit at once. */
  readonly sequences: number;
}

/**
 * Families whose layers all have a window if the config states one, and one with a window in every second layer.
 */
const ALL_WINDOWED = new Set(['mistral', 'mixtral', 'phi3', 'starcoder2']);
const HALF_WINDOWED = new Set(['gemma2']);

/** Every so many layers see everything, if the config does not say how many: defaults of the families' own configs. */
const PERIODS: ReadonlyMap<string, number> = new Map([['gemma3_text', 6]]);

/** Number of layers with a window. */
export function windowedLayers(model: ModelFacts): number {
  const { slidingWindow, modelType, layers } = model;
  if (slidingWindow === null) return 0;
  if (ALL_WINDOWED.has(modelType)) return layers;
  if (HALF_WINDOWED.has(modelType)) return Math.ceil(layers / 2);
  const kinds = layerTypes(model, stated(model, 'sliding_window_pattern', PERIODS.get(modelType) ?? 1));
  return Array.from({ length: layers }, (_, i) => kinds[i % kinds.length]).filter(kind => kind === 'sliding')
    .length;
}

/** Bytes of a token's keys and values in a layer, or of its latent (DeepSeek), which is not sharded. */
function bytesPerLayer(
  { model, generation: { cacheDtype }, numbers: { weightDtype } }: MemoryRun,
  { tensorRanks, stages }: Serving,
): number {
  const each = bytesPer(cacheDtype ?? weightDtype);
  const { mla, kvHeads, headDim } = model;
  // A rank has at least one head; where there are fewer heads than ranks, several ranks hold the same.
  const own = mla ? mla.kvLoraRank + mla.qkRopeHeadDim : 2 * Math.max(1, kvHeads / tensorRanks) * headDim;
  return (own * each) / stages;
}

/**
 * Kinds of layers share blocks if the smaller kind is not much smaller: padding then costs less than more groups.
 */
const PADDED = 1.5;

interface Groups {
  /** Layers per group: the number of layers of the rarer kind. */
  readonly size: number;
  readonly full: number;
  readonly windowed: number;
}

/**
 * Groups of layers that share memory, `drafted` ones of a draft's among them (vLLM 001cabc, v1/core/kv_cache_utils.py,
 * _get_kv_cache_groups_uniform_page_size): a block is a page for each layer of one group.
 */
function groupsOf({ model }: MemoryRun, { engine }: Serving, drafted: number): Groups {
  const layers = model.layers + drafted;
  const windowed = engine.groupsLayers ? windowedLayers(model) : 0;
  const full = layers - windowed;
  if (windowed === 0) return { size: layers, full: 1, windowed: 0 };
  if (full === 0) return { size: layers, full: 0, windowed: 1 };
  const [least, most] = [Math.min(full, windowed), Math.max(full, windowed)];
  const size = most < least * PADDED ? most : least;
  return { size, full: Math.ceil(full / size), windowed: Math.ceil(windowed / size) };
}

/** The cache that fits into this many bytes. */
export function roomIn(run: MemoryRun, serving: Serving, bytes: number): CacheRoom {
  const { engine, context } = serving;
  const layerBytes = bytesPerLayer(run, serving);
  const groups = groupsOf(
    run,
    serving,
    draftsOf(run, serving).cacheBytesPerToken / (layerBytes * serving.stages),
  );
  const blockBytes = layerBytes * engine.block * groups.size;
  const blocks = Math.max(0, Math.floor(bytes / blockBytes));
  const window = run.model.slidingWindow ?? context;
  // A window can begin within a block, and a pass is added before old blocks are freed.
  const seen = Math.min(window - 1 + run.batch.tokens, context);
  const needed =
    groups.full * Math.ceil(context / engine.block) + groups.windowed * (Math.ceil(seen / engine.block) + 1);
  return {
    bytes: blocks * blockBytes,
    tokens: Math.floor(blocks / (groups.full + groups.windowed)) * engine.block,
    sequences: blocks / needed,
  };
}
