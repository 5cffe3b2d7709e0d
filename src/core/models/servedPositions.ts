import type { ModelFacts } from './model';

/** Kinds of scaling whose factor is in the positions already. */
const INCLUDED: ReadonlySet<unknown> = new Set(['su', 'longrope', 'llama3']);

/**
 * Tokens that a server allows a sequence of the model, which is its default and its limit: the positions times the factor of
 * their scaling. Null: not known. Source: vllm config/model.py, `_get_and_verify_max_len`.
 */
export function servedPositions({ maxPositions, modelType, extra }: ModelFacts): number | null {
  const scaling = extra['rope_scaling'];
  // Gemma 3's positions are those of the scaled model.
  if (maxPositions === null || !isTable(scaling) || modelType.startsWith('gemma3')) return maxPositions;
  const kind = scaling['rope_type'] ?? scaling['type'];
  if (INCLUDED.has(kind)) return maxPositions;
  const before = kind === 'yarn' ? sizeOf(scaling['original_max_position_embeddings']) : null;
  return Math.floor((before ?? maxPositions) * (sizeOf(scaling['factor']) ?? 1));
}

const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const sizeOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : null;
