import type { Contrast } from '../run';
import type { Asker } from './asker';

/** Rows of one pass of contrastive training, and what they are compared with. */
export interface Encoded {
  readonly rows: number;
  readonly tokens: number;
  readonly contrast: Contrast | null;
}

/** What a pass encodes: the parts of contrastive training, or so many sequences of each sample; null: not known. */
export function encodedOf(asker: Asker, samples: number | null): Encoded | null {
  const contrasted = contrastOf(asker, samples, asker.value('seqLen'));
  if (contrasted) return contrasted;
  const tokens = asker.needed('seqLen', 'the sequence length');
  if (samples === null || tokens === null) return null;
  return { rows: samples * (asker.detail('sequencesPerSample') ?? 1), tokens, contrast: null };
}

/** What is encoded at a time where a config says how embeddings are compared; null: it does not. */
function contrastOf(asker: Asker, pairs: number | null, seqLen: number | null): Encoded | null {
  const settings = asker.detail('contrastive');
  if (settings === null || pairs === null) return null;
  const { passages: each, queryTokens, passageTokens, cachedRows, gathers } = settings;
  const tokens = passageTokens ?? seqLen ?? queryTokens;
  if (tokens === null) return null;
  const share = Math.min(1, (queryTokens ?? tokens) / tokens);
  if (share < 1) {
    asker.assume(
      null,
      `queries of ${queryTokens ?? tokens} tokens count as the part of a passage that they are long`,
    );
  }
  const ranks = gathers ? (asker.value('gpus') ?? 1) : 1;
  const sentences = pairs * (1 + each);
  const cached = cachedRows === null ? null : { sentences, scored: cachedRows };
  const contrast = { queries: pairs, passages: pairs * each * ranks, cached };
  const rows = Math.ceil(pairs * (each + share));
  return { rows: cachedRows === null ? rows : Math.min(rows, cachedRows), tokens, contrast };
}
