import type { Quantity } from '../../spec/quantity';
import type { ContrastiveSettings } from '../../spec/values';
import type { RunReader } from '../engine/runReader';
import { plainName } from './leaves';
import { words } from './vocabulary';

/** Passages per query in FlagEmbedding and tevatron: one positive plus negatives. */
const GROUPS = ['train_group_size', 'train_n_passages'];
/** Negatives next to one positive. */
const NEGATIVES = [
  'num_negatives',
  'n_negatives',
  'num_hard_negatives',
  'n_hard_negatives',
  'hard_negatives',
  'max_negatives',
  'negatives_per_query',
];
const QUERY = ['query_max_len', 'q_max_len', 'query_max_length', 'max_query_length'];
const PASSAGE = [
  'passage_max_len',
  'p_max_len',
  'passage_max_length',
  'max_passage_length',
  'doc_max_len',
  'd_max_len',
];
/** Chunk sizes of GradCache: tevatron's for passages, sentence-transformers' for all. */
const CHUNKS = ['gc_p_chunk_size', 'gradcache_chunk_size', 'grad_cache_chunk_size', 'loss_mini_batch_size'];
const GATHERS = [
  'negatives_cross_device',
  'negatives_x_device',
  'gather_across_devices',
  'cross_device_negatives',
];

/** The first of these names that a key has, in any section about training. */
function first(run: RunReader, names: readonly string[]): string | null {
  const leaves = run
    .leaves()
    .filter(({ path }) => !path.some(part => words.sectionOfEvaluation.test(String(part))));
  const named = (name: string) => leaves.find(({ path }) => plainName(String(path.at(-1))) === name);
  return names.flatMap(name => named(name)?.key ?? []).find(key => run.has(key)) ?? null;
}

/** The key that names the loss: `loss_type`, `loss: {name: …}`, `loss`. */
function lossKey(run: RunReader): string | null {
  const inSection = run
    .leaves()
    .find(
      ({ path }) =>
        String(path.at(-2)).startsWith('loss') && /^(?:name|type|class)$/.test(String(path.at(-1))),
    );
  return inSection?.key ?? first(run, ['loss_type', 'loss_name', 'loss_function', 'loss']);
}

/**
 * Default chunk of passages in tevatron (driver.py: 32); `mini_batch_size` in sentence-transformers
 * (losses/cached_*.py: 32).
 */
const CHUNK = 32;

function chunkOf(
  run: RunReader,
  loss: string | null,
): { readonly key: string; readonly rows: number } | null {
  const isCached = loss !== null && /^cached/i.test(run.word(loss) ?? '');
  const flag = first(run, ['grad_cache', 'gradcache', 'use_grad_cache']);
  const isOn = flag !== null && run.flag(flag) === true;
  const stated = first(run, isCached ? [...CHUNKS, 'mini_batch_size'] : CHUNKS);
  const by = isOn ? flag : isCached ? loss : null;
  if (by === null) return null;
  return { key: stated ?? by, rows: (stated === null ? null : run.count(stated)) ?? CHUNK };
}

/** Keys that show that a config trains embeddings by comparison. */
export function contrastiveKey(run: RunReader): string | null {
  const loss = lossKey(run);
  const named =
    loss !== null && /ranking|contrastive|infonce|info_nce/i.test(run.word(loss) ?? '') ? loss : null;
  return named ?? first(run, [...GROUPS, ...GATHERS, 'grad_cache', ...PASSAGE]);
}

/** How embeddings are compared, by the keys of FlagEmbedding, tevatron or sentence-transformers. */
export function contrastive(run: RunReader): Quantity<ContrastiveSettings> {
  const key = contrastiveKey(run);
  if (key === null) return run.unknown('No key says how embeddings are compared.');
  const [group, negatives] = [first(run, GROUPS), first(run, NEGATIVES)];
  const [query, passage, gathers] = [first(run, QUERY), first(run, PASSAGE), first(run, GATHERS)];
  const loss = lossKey(run);
  const chunk = chunkOf(run, loss);
  const counted = (name: string | null): number | null => (name === null ? null : run.count(name));
  const value: ContrastiveSettings = {
    passages: counted(group) ?? (negatives === null ? null : 1 + (counted(negatives) ?? 0)),
    queryTokens: counted(query),
    passageTokens: counted(passage),
    cachedRows: chunk?.rows ?? null,
    gathers: gathers !== null && run.flag(gathers) === true,
  };
  const keys = [key, group, negatives, query, passage, gathers, chunk?.key ?? null];
  return run.at([...new Set(keys.filter(one => one !== null))], value);
}
