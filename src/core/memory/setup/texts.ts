import type { ModelFacts } from '../../models/model';
import type { Asker } from './asker';
import { unpads } from './rows';
import type { Encoded } from './contrast';

/** Families whose tables of positions begin behind those of the padding: two rows of them are no positions. */
const OFFSET = new Set(['roberta', 'xlm-roberta', 'camembert', 'mpnet']);

/** Texts to embed are as long as the model takes them: nobody says in a config how long its texts are. */
export function supposeLength(asker: Asker, { maxPositions, modelType }: ModelFacts): void {
  if (maxPositions === null || asker.value('task') !== 'embed' || asker.value('seqLen') !== null) return;
  const longest = maxPositions - (OFFSET.has(modelType) ? 2 : 0);
  asker.suppose('seqLen', longest, `texts of up to ${longest} tokens, for which the model was made`);
}

/**
 * A batch that is filled by tokens. Without padding its texts lie one behind the other, as if they were one; with padding it
 * has as many of the longest as go into it (text-embeddings-inference 0d124dc, core/src/queue.rs).
 */
export function filledByTokens(asker: Asker): Encoded | null {
  const { value, unit } = asker.run.quantities.microBatchSize;
  if (unit !== 'tokens' || value === null || asker.value('task') !== 'embed') return null;
  asker.assume(null, 'its kernels hold what the model’s own code holds with such attention');
  if (unpads(asker.value('attention') ?? '')) return { rows: 1, tokens: value, contrast: null };
  const longest = asker.value('seqLen');
  if (longest === null) return null;
  const tokens = Math.min(longest, value);
  return { rows: Math.max(1, Math.floor(value / tokens)), tokens, contrast: null };
}
