import type { ModelFacts } from '../models/model';
import type { Serving } from './engine';
import type { MemoryRun } from './run';
import { layerTypes } from './blocks/layerKinds';
import { bytesPer } from './tensor';

/** What an engine makes of so many bytes for keys and values. */
export interface CacheRoom {
  /** Of the bytes those that make whole blocks. */
  readonly bytes: number;
  /** Tokens, as the engine counts them when it starts. */
  readonly tokens: number;
  /** Sequences of the promised length that there is room for at a time. */
  readonly sequences: number;
}

/** Families all of whose layers look back at a window where there is one, and one in which every second does. */
const ALL_WINDOWED = new Set(['mistral', 'mixtral', 'phi3', 'starcoder2']);
const HALF_WINDOWED = new Set(['gemma2']);

/** Layers that look back at a window only. */
export function windowedLayers(model: ModelFacts): number {
  const { slidingWindow, modelType, layers, extra } = model;
  if (slidingWindow === null) return 0;
  if (ALL_WINDOWED.has(modelType)) return layers;
  if (HALF_WINDOWED.has(modelType)) return Math.ceil(layers / 2);
  const pattern = extra['sliding_window_pattern'];
  const kinds = layerTypes(model, typeof pattern === 'number' ? pattern : 1);
  return Array.from({ length: layers }, (_, i) => kinds[i % kinds.length]).filter(kind => kind === 'sliding')
    .length;
}

/** Keys and values of a token in a layer, or its latent (DeepSeek), which every slice of a model has whole. */
function bytesPerLayer({
  model,
  generation: { cacheDtype },
  numbers: { weightDtype },
  devices: { spread },
}: MemoryRun): number {
  const each = bytesPer(cacheDtype ?? weightDtype);
  const { mla, kvHeads, headDim } = model;
  return mla ? (mla.kvLoraRank + mla.qkRopeHeadDim) * each : (2 * kvHeads * headDim * each) / spread;
}

/** Kinds of layers share blocks where the smaller kind is not much smaller: padding costs less than more groups. */
const PADDED = 1.5;

interface Groups {
  /** Layers of a group: as many as there are of the rarer kind. */
  readonly size: number;
  readonly full: number;
  readonly windowed: number;
}

/**
 * Groups of layers that share their memory (vLLM 001cabc, v1/core/kv_cache_utils.py,
 * _get_kv_cache_groups_uniform_page_size): a block is a page for each layer of one group.
 */
function groupsOf({ model }: MemoryRun, { engine }: Serving): Groups {
  const { layers } = model;
  const windowed = engine.groupsLayers ? windowedLayers(model) : 0;
  const full = layers - windowed;
  if (windowed === 0) return { size: layers, full: 1, windowed: 0 };
  if (full === 0) return { size: layers, full: 0, windowed: 1 };
  const [least, most] = [Math.min(full, windowed), Math.max(full, windowed)];
  const size = most < least * PADDED ? most : least;
  return { size, full: Math.ceil(full / size), windowed: Math.ceil(windowed / size) };
}

/** What fits into so many bytes. */
export function roomIn(run: MemoryRun, serving: Serving, bytes: number): CacheRoom {
  const { engine, context } = serving;
  const groups = groupsOf(run, serving);
  const blockBytes = bytesPerLayer(run) * engine.block * groups.size;
  const blocks = Math.max(0, Math.floor(bytes / blockBytes));
  const window = run.model.slidingWindow ?? context;
  // What a window needs begins within a block, and a pass is added before anything is given back.
  const seen = Math.min(window - 1 + run.batch.tokens, context);
  const needed =
    groups.full * Math.ceil(context / engine.block) + groups.windowed * (Math.ceil(seen / engine.block) + 1);
  return {
    bytes: blocks * blockBytes,
    tokens: Math.floor(blocks / (groups.full + groups.windowed)) * engine.block,
    sequences: blocks / needed,
  };
}
