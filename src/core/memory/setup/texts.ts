import type { ModelFacts } from '../../models/model';
import type { Asker } from './asker';
import { unpads } from './batch';

/** How many rows of how many tokens a pass has. */
export interface Rows {
  readonly rows: number;
  readonly tokens: number;
}

/** Families whose tables of positions begin behind those of the padding: two rows of them are no positions. */
const OFFSET = new Set(['roberta', 'xlm-roberta', 'camembert', 'mpnet']);

/** The longest text that a model takes; nobody says in a config how long its texts are. */
export function longestText(asker: Asker, { maxPositions, modelType }: ModelFacts): number | null {
  if (maxPositions === null) return null;
  const longest = maxPositions - (OFFSET.has(modelType) ? 2 : 0);
  return asker.assume(longest, `texts of up to ${longest} tokens, for which the model was made`);
}

/**
 * A batch that is filled by tokens. Without padding its texts lie one behind the other, as if they were one; with padding it
 * has as many of the longest as go into it (text-embeddings-inference 0d124dc, core/src/queue.rs).
 */
export function filledByTokens(asker: Asker, model: ModelFacts): Rows | null {
  const { value, unit } = asker.run.quantities.microBatchSize;
  if (unit !== 'tokens' || value === null || asker.value('task') !== 'embed') return null;
  asker.assume(null, 'its kernels hold what the model’s own code holds with such attention');
  if (unpads(asker.value('attention') ?? '')) return { rows: 1, tokens: value };
  const longest = asker.value('seqLen') ?? longestText(asker, model);
  if (longest === null) return null;
  const tokens = Math.min(longest, value);
  return { rows: Math.max(1, Math.floor(value / tokens)), tokens };
}
