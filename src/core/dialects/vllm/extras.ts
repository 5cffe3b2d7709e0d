import type { Quantity } from '../../spec/quantity';
import type { ServedDrafter, ServedExtras } from '../../spec/values';
import { isRecord, numberIn, parsedJson, textIn } from '../../text/json';
import type { JsonRecord } from '../../text/json';
import { number } from '../engine/readers';
import type { RunReader } from '../engine/runReader';

/** Defaults of vllm/config/lora.py: LoRAConfig, from 0.6 to 0.33. */
const SLOTS = 1;
const RANK = 16;

const KEYS = {
  adapters: 'enable-lora',
  drafts: 'speculative-config',
  formerDraft: 'speculative-model',
  offload: 'cpu-offload-gb',
  oneKind: 'disable-hybrid-kv-cache-manager',
  connector: 'kv-transfer-config',
  events: 'kv-events-config',
} as const;

/** Room for adapters, draft models and weights on the host, by vLLM's arguments; null: none of them is given. */
export function vllmExtras(run: RunReader): Quantity<ServedExtras> {
  const adapters = adaptersOf(run);
  const drafter = drafterOf(run);
  const offloadGiB = Math.max(0, run.read(KEYS.offload, number) ?? 0);
  const oneKind = oneKindBy(run);
  const keys = [
    ...(adapters ? [KEYS.adapters] : []),
    ...(drafter ? [run.has(KEYS.drafts) ? KEYS.drafts : KEYS.formerDraft] : []),
    ...(offloadGiB > 0 ? [KEYS.offload] : []),
    ...(oneKind ? [oneKind] : []),
  ];
  if (keys.length === 0) return run.none('vllm/engine/arg_utils.py: enable_lora is off, nothing drafts');
  return run.at(keys, { adapters, drafter, offloadGiB, ...(oneKind && { ignoresWindows: true }) });
}

/** Connectors that can't tell kinds of layers apart: no subclass of SupportsHMA from 0.22 to 0.33 (kv_connector/v1). */
const ONE_KIND: ReadonlySet<string> = new Set([
  'ExampleConnector',
  'SharedStorageConnector',
  'LMCacheConnectorV1',
  'FlexKVConnectorV1',
  'HF3FSKVConnector',
  'P2pNcclConnector',
]);

/**
 * The key that makes all layers keep as much as those without a window; null: none does (vllm/config/vllm.py,
 * need_disable_hybrid_kv_cache_manager). Up to 0.21 every connector does, later those that don't know kinds of layers;
 * up to 0.20 events of the cache do, too.
 */
function oneKindBy(run: RunReader): (typeof KEYS)['oneKind' | 'connector' | 'events'] | null {
  const stated = run.flag(KEYS.oneKind);
  if (stated !== null) return stated ? KEYS.oneKind : null;
  if (run.flag(`no-${KEYS.oneKind}`) === true) return null;
  if (run.has(KEYS.events) && !run.atLeast('0.21')) return KEYS.events;
  const isOneKind =
    run.has(KEYS.connector) && (!run.atLeast('0.22') || isOfOneKind(run.value(KEYS.connector)));
  return isOneKind ? KEYS.connector : null;
}

function isOfOneKind(given: unknown): boolean {
  const settings: unknown = typeof given === 'string' ? parsedJson(given) : given;
  if (!isRecord(settings)) return false;
  const extra = settings['kv_connector_extra_config'];
  const inner: unknown = isRecord(extra) ? extra['connectors'] : null;
  const isOne = ONE_KIND.has(textIn(settings['kv_connector']) ?? '');
  return isOne || (Array.isArray(inner) && inner.some(isOfOneKind));
}

function adaptersOf(run: RunReader): ServedExtras['adapters'] {
  if (run.flag(KEYS.adapters) !== true) return null;
  return {
    slots: run.count('max-loras') ?? SLOTS,
    rank: run.count('max-lora-rank') ?? RANK,
    isSharded: run.flag('fully-sharded-loras') === true,
  };
}

/** Methods without weights (vllm/config/speculative.py: SpeculativeMethod). */
const WITHOUT_WEIGHTS: ReadonlySet<string> = new Set(['ngram', 'ngram_gpu', '[ngram]', 'suffix']);

function drafterOf(run: RunReader): ServedDrafter | null {
  const given = run.value(KEYS.drafts);
  const settings: unknown = typeof given === 'string' ? parsedJson(given) : given;
  if (isRecord(settings)) return drafterIn(settings);
  const model = run.word(KEYS.formerDraft);
  if (model === null) return given === null ? null : UNREAD;
  return WITHOUT_WEIGHTS.has(model) ? null : { kind: 'model', model, tensorRanks: null };
}

/** It drafts, and nothing says how. */
const UNREAD: ServedDrafter = { kind: 'other', model: null, tensorRanks: null };

function drafterIn(settings: JsonRecord): ServedDrafter | null {
  const model = textIn(settings['model']);
  const method = textIn(settings['method'])?.toLowerCase() ?? methodBy(model ?? '');
  if (WITHOUT_WEIGHTS.has(method) || WITHOUT_WEIGHTS.has(model ?? '')) return null;
  const tensorRanks = numberIn(settings['draft_tensor_parallel_size']);
  return { kind: kindOf(method), model, tensorRanks };
}

/** vllm/config/speculative.py, __post_init__: a draft's method by its name. */
function methodBy(model: string): string {
  if (/eagle-?3/i.test(model)) return 'eagle3';
  if (/eagle/i.test(model)) return 'eagle';
  return model === '' ? 'mtp' : 'draft_model';
}

function kindOf(method: string): ServedDrafter['kind'] {
  if (method === 'draft_model') return 'model';
  if (method === 'eagle' || method === 'eagle3') return method;
  return /(?:^|_)mtp$/.test(method) ? 'mtp' : 'other';
}
