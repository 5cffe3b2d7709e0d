import type { ModelFacts } from '../../models/model';
import { servedPositions } from '../../models/servedPositions';
import type { Serving } from '../engine';
import type { Refusal } from '../estimate';

/** Tables of words are padded to a multiple of this before ranks share them (vocab_parallel_embedding.py). */
const VOCABULARY_STEP = 64;

/** Why an engine refuses a model before it loads it (vllm, config/model.py); null: nothing known. */
export function refusalOf(model: ModelFacts, serving: Serving): Refusal | null {
  // A model that only its name describes has no positions and heads of its own.
  if (serving.engine.checksModel !== true || model.extra['supposed'] === true) return null;
  if (!serving.overridesLength && isTooLong(model, serving.context)) return 'length';
  const { tensorRanks } = serving;
  if (model.heads > 0 && model.heads % tensorRanks !== 0) return 'heads';
  const words = Math.ceil(model.vocabSize / VOCABULARY_STEP) * VOCABULARY_STEP;
  return words % tensorRanks === 0 ? null : 'vocabulary';
}

/** Unknown positions refuse nothing; a copy that is only called like a model may have others. */
function isTooLong(model: ModelFacts, context: number): boolean {
  if (model.source === 'name') return false;
  const most = servedPositions(model);
  return most !== null && context > most;
}
