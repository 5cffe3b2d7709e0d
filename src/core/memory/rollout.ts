import type { Ledger, Peak } from './ledger';
import type { MemoryRun, OwnRollout } from './run';
import { bytesPer } from './tensor';
import { KV_CACHE, LOGITS } from './terms';

/**
 * What is alive when the last token is written: beside weights and states the cache of all rows, a layer's keys once more,
 * which the next token is appended to, and the last token's logits, widened, and their probabilities.
 */
export function rolledOut(run: MemoryRun, { rows, scores }: OwnRollout, ledger: Ledger): Peak {
  const { layers, kvHeads, headDim, vocabSize } = run.model;
  const each =
    run.batch.tokens * kvHeads * headDim * bytesPer(run.numbers.autocast ?? run.numbers.weightDtype);
  const cache = ledger.allocate(rows * each * (2 * layers + 1), KV_CACHE);
  const logits = ledger.allocate(rows * vocabSize * (2 + 4 + 4), LOGITS);
  const kept = ledger.allocate(scores * vocabSize * 4, LOGITS);
  for (const storage of [cache, logits, kept]) ledger.release(storage);
  return ledger.takePeak();
}
