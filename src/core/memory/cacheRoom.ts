import type { ModelFacts } from '../models/model';
import type { Serving } from './engine';
import type { MemoryRun } from './run';
import { stated } from './configValues';
import { gemma4Sections } from '../models/gemma4';
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

/** Layers with keys and values of their own, by what they see. */
interface Layers {
  readonly full: number;
  readonly windowed: number;
  /** Values of a layer that sees everything, for each of a layer with a window. */
  readonly fullSize: number;
}

/** Number of layers with a window. */
export const windowedLayers = (model: ModelFacts): number => layersOf(model, 1).windowed;

function layersOf(model: ModelFacts, ranks: number): Layers {
  if (/^gemma4(?:_text)?$/.test(model.modelType)) return gemma4Layers(model, ranks);
  const windowed = alikeWindowed(model);
  return { full: model.layers - windowed, windowed, fullSize: 1 };
}

/** Layers that share others' keys and values have none; those that see everything have wider heads, and fewer. */
function gemma4Layers(model: ModelFacts, ranks: number): Layers {
  const own = gemma4Sections(model).filter(({ extra }) => extra['shares'] !== true);
  const size = ({ kvHeads, headDim }: ModelFacts): number => Math.max(1, kvHeads / ranks) * headDim;
  const global = own.find(({ extra }) => extra['sees_all'] === true);
  const count = (seesAll: boolean): number =>
    own.reduce((sum, { layers, extra }) => sum + (extra['sees_all'] === seesAll ? layers : 0), 0);
  return { full: count(true), windowed: count(false), fullSize: global ? size(global) / size(model) : 1 };
}

function alikeWindowed(model: ModelFacts): number {
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
  readonly fullSize: number;
}

/**
 * Groups of layers that share memory, `drafted` ones of a draft's among them (vLLM 001cabc, v1/core/kv_cache_utils.py,
 * _get_kv_cache_groups_uniform_page_size): a block is a page for each layer of one group.
 */
function groupsOf({ model }: MemoryRun, { engine, tensorRanks }: Serving, drafted: number): Groups {
  const own = layersOf(model, tensorRanks);
  const windowed = engine.groupsLayers ? own.windowed : 0;
  const full = own.full + (own.windowed - windowed) + drafted;
  if (windowed === 0) return { size: full, full: 1, windowed: 0, fullSize: 1 };
  if (full === 0) return { size: windowed, full: 0, windowed: 1, fullSize: 1 };
  const [least, most] = [Math.min(full, windowed), Math.max(full, windowed)];
  const size = most < least * PADDED ? most : least;
  return {
    size,
    full: Math.ceil(full / size),
    windowed: Math.ceil(windowed / size),
    fullSize: own.fullSize,
  };
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
  // unify_kv_cache_spec_page_size: pages are as large as the largest, and blocks of smaller layers hold more tokens.
  const pageBytes = layerBytes * Math.max(1, groups.fullSize) * engine.block;
  const fullBlock = Math.floor(engine.block * Math.max(1, 1 / groups.fullSize));
  const blockBytes = pageBytes * groups.size;
  const blocks = Math.max(0, Math.floor(bytes / blockBytes));
  const window = run.model.slidingWindow ?? context;
  // A window can begin within a block, and a pass is added before old blocks are freed.
  const seen = Math.min(window - 1 + run.batch.tokens, context);
  const needed =
    groups.full * Math.ceil(context / fullBlock) + groups.windowed * (Math.ceil(seen / engine.block) + 1);
  return {
    bytes: blocks * blockBytes,
    tokens: Math.floor(blocks / (groups.full + groups.windowed)) * engine.block,
    sequences: blocks / needed,
  };
}
