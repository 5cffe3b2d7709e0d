import type { ModelFacts } from '../models/model';
import type { Serving } from './engine';
import type { MemoryRun } from './run';
import { stated } from './configValues';
import { gemma4Sections } from '../models/gemma4';
import { attentionLayers } from './blocks/hybrid';
import { layerTypes } from './blocks/layerKinds';
import { draftsOf } from './serving/drafts';
import { hasStates, stateBytes } from './serving/recurrentState';
import { bytesPer } from './tensor';

/** An engine's KV cache in a given number of bytes. */
interface CacheRoom {
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

/**
 * Every so many layers see everything, if the config does not say how many: defaults of the families' own configs
 * (transformers, models/…/configuration_….py: layer_types, sliding_window_pattern).
 */
const PERIODS: ReadonlyMap<string, number> = new Map([
  ['gemma3_text', 6],
  ['gpt_oss', 2],
  ['cohere2', 4],
  ['exaone4', 4],
  ['olmo3', 4],
]);

/** Layers with keys and values of their own, by what they see. */
interface Layers {
  readonly full: number;
  readonly windowed: number;
  /** Layers with a state of one size for each sequence, instead of keys and values. */
  readonly recurrent: number;
  /** Values of a layer that sees everything, for each of a layer with a window. */
  readonly fullSize: number;
}

/** Number of layers with a window. */
export const windowedLayers = (model: ModelFacts): number => layersOf(model, 1).windowed;

function layersOf(model: ModelFacts, ranks: number): Layers {
  if (/^gemma4(?:_text)?$/.test(model.modelType)) return gemma4Layers(model, ranks);
  const windowed = alikeWindowed(model);
  const attention = hasStates(model) ? attentionLayers(model) : null;
  const recurrent = attention === null || windowed > 0 ? 0 : model.layers - attention;
  return { full: model.layers - windowed - recurrent, windowed, recurrent, fullSize: 1 };
}

/** Layers that share others' keys and values have none; those that see everything have wider heads, and fewer. */
function gemma4Layers(model: ModelFacts, ranks: number): Layers {
  const own = gemma4Sections(model).filter(({ extra }) => extra['shares'] !== true);
  const size = ({ kvHeads, headDim }: ModelFacts): number => Math.max(1, kvHeads / ranks) * headDim;
  const global = own.find(({ extra }) => extra['sees_all'] === true);
  const count = (seesAll: boolean): number =>
    own.reduce((sum, { layers, extra }) => sum + (extra['sees_all'] === seesAll ? layers : 0), 0);
  return {
    full: count(true),
    windowed: count(false),
    recurrent: 0,
    fullSize: global ? size(global) / size(model) : 1,
  };
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
  { engine, extras, tensorRanks, stages }: Serving,
): number {
  const bits = extras?.cacheBits ?? 8 * bytesPer(cacheDtype ?? weightDtype);
  const scale = engine.cacheScaleBytes?.(bits) ?? 0;
  const { mla, kvHeads, headDim } = model;
  if (mla) return ((mla.kvLoraRank + mla.qkRopeHeadDim) * bits) / 8 / stages;
  // A rank has at least one head; where there are fewer heads than ranks, several ranks hold the same.
  return (2 * Math.max(1, kvHeads / tensorRanks) * ((headDim * bits) / 8 + scale)) / stages;
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
  readonly recurrent: number;
  readonly fullSize: number;
}

/**
 * Groups of layers that share memory, `drafted` ones of a draft's among them (vLLM 001cabc, v1/core/kv_cache_utils.py,
 * _get_kv_cache_groups_uniform_page_size): a block is a page for each layer of one group.
 */
function groupsOf({ model }: MemoryRun, { engine, tensorRanks, extras }: Serving, drafted: number): Groups {
  const own = layersOf(model, tensorRanks);
  const recurrent = engine.groupsLayers ? own.recurrent : 0;
  const isMixed = own.full > 0 && (engine.ignoresWindows === true || extras?.ignoresWindows === true);
  const windowed = engine.groupsLayers && !isMixed ? own.windowed : 0;
  const full = own.full + (own.windowed - windowed) + (own.recurrent - recurrent) + drafted;
  const counts = [full, windowed, recurrent].filter(count => count > 0);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const size = most < least * PADDED ? most : least;
  return {
    size,
    full: Math.ceil(full / size),
    windowed: Math.ceil(windowed / size),
    recurrent: Math.ceil(recurrent / size),
    fullSize: windowed > 0 && full > 0 ? own.fullSize : 1,
  };
}

/**
 * Tokens of a block: where layers have states, as many as make its page hold one (vllm 0.13, models/config.py,
 * HybridAttentionMambaModelConfig; “Setting attention block size to … tokens”).
 */
function blockOf(
  run: MemoryRun,
  { engine, tensorRanks, stages }: Serving,
  layerBytes: number,
  groups: Groups,
): number {
  const bytes =
    groups.recurrent > 0 ? stateBytes(run.model, tensorRanks, bytesPer(run.numbers.weightDtype)) : null;
  if (bytes === null) return engine.block;
  const state = bytes / stages;
  return engine.block * Math.max(1, Math.ceil(state / (engine.block * layerBytes)));
}

/** Tokens of the cache as the engine's log counts them. */
export const countedTokens = ({ engine, context }: Serving, cache: CacheRoom): number =>
  engine.startUp?.countsRequests ? Math.floor(cache.sequences * context) : cache.tokens;

/** The cache that fits into this many bytes. */
export function roomIn(run: MemoryRun, serving: Serving, bytes: number): CacheRoom {
  const { context } = serving;
  const layerBytes = bytesPerLayer(run, serving);
  const groups = groupsOf(
    run,
    serving,
    draftsOf(run, serving).cacheBytesPerToken / (layerBytes * serving.stages),
  );
  // unify_kv_cache_spec_page_size: pages are as large as the largest, and blocks of smaller layers hold more tokens.
  const block = blockOf(run, serving, layerBytes, groups);
  const pageBytes = layerBytes * Math.max(1, groups.fullSize) * block;
  const fullBlock = Math.floor(block * Math.max(1, 1 / groups.fullSize));
  const blockBytes = pageBytes * groups.size;
  const most =
    serving.mostTokens === null
      ? Infinity
      : Math.floor(serving.mostTokens / block) * (groups.full + groups.windowed + groups.recurrent);
  const blocks = Math.min(most, Math.max(0, Math.floor(bytes / blockBytes)));
  const window = run.model.slidingWindow ?? context;
  // A window can begin within a block, and passes are added before old blocks are freed.
  const passes = serving.engine.batchesInFlight?.(serving.stages) ?? 1;
  const seen = Math.min(window - 1 + passes * run.batch.tokens, context);
  const needed =
    groups.full * Math.ceil(context / fullBlock) +
    groups.windowed * (Math.ceil(seen / block) + 1) +
    groups.recurrent;
  return {
    bytes: blocks * blockBytes,
    tokens: Math.floor(blocks / (groups.full + groups.windowed + groups.recurrent)) * block,
    sequences: blocks / needed,
  };
}
