import type { LossCode } from '../../frameworks/behavior/behavior';
import { to } from '../../ops/cast';
import { gather, logSoftmax, logSumExpRows } from '../../ops/loss';
import { add, scale, scaleInPlace, sum } from '../../ops/pointwise';
import { slice } from '../../ops/shape';
import type { MemoryRun } from '../../run';
import type { Tape } from '../../tape';
import { isHalf } from '../../tensor';
import type { Tensor } from '../../tensor';
import type { FusedInputs } from './fused';

type PolicyCode = Extract<LossCode, { kind: 'policy' }>;

/**
 * Tokens and vocabulary entries of a tile (trl 1.16, kernels/chunked_logprob.py; trainer/utils.py,
 * _CHUNKED_LOGPROB_CHUNK_SIZE).
 */
const TILE = { tokens: 4096, words: 32768 };

/** Generated tokens of all rows. */
const written = ({ batch: { rows: batch, tokens }, generation: { logitsToKeep } }: MemoryRun): number =>
  batch * ((logitsToKeep ?? tokens) - 1);

/**
 * Log-probabilities of generated tokens without their logits: one tile at a time, recomputed in backward, where
 * gradients accumulate in fp32 (ChunkedLogProbFunction). Omits entropies and ratios, which are one number per
 * token.
 */
export function tiledPolicyLoss(tape: Tape, run: MemoryRun, { hidden, head }: FusedInputs): Tensor {
  const [words = 1, width = 1] = head.shape;
  const tokens = written(run);
  return tape.call([hidden], () => {
    const scored = tape.name(picked(tape, hidden, tokens * width));
    const dtype = run.numbers.autocast ?? scored.dtype;
    const tile = Math.min(tokens, TILE.tokens) * Math.min(words, TILE.words);
    const node = tape.record(scored, head);
    tape.spend(tape.empty(tile, dtype));
    const sums = tape.name(tape.empty(tokens, 'fp32'));
    if (node) {
      for (const kept of [scored, head, sums]) node.save(kept);
      node.backward = () => {
        const ofHidden = scored.node && tape.empty(scored.elements, 'fp32');
        const ofHead = head.node && tape.empty(head.elements, 'fp32');
        tape.spend(tape.empty(tile, dtype));
        return [ofHidden && to(tape, ofHidden, scored.dtype), ofHead && to(tape, ofHead, head.dtype)];
      };
    }
    return tape.empty(1, 'fp32', node);
  });
}

/** `hidden_states[mask]`: a copy; in backward full-size zeros with scattered gradients. */
function picked(tape: Tape, hidden: Tensor, elements: number): Tensor {
  const node = tape.record(hidden);
  if (node) node.backward = () => [tape.like(hidden)];
  return tape.done(tape.empty(elements, hidden.dtype, node), hidden);
}

/** The same from logits: divided by the temperature, in place or not, and selected as for preferences. */
export function policyLoss(tape: Tape, run: MemoryRun, logits: Tensor, code: PolicyCode): Tensor {
  const { behavior } = run;
  const { autocast } = run.numbers;
  const batch = run.batch.rows;
  const widened = autocast !== null && behavior.copiesOutputs && isHalf(logits.dtype);
  const tokens = written(run);
  return tape.call([logits], () => {
    const outputs = tape.rename(logits, widened ? to(tape, logits, 'fp32') : logits);
    const shifted = slice(tape, outputs, tokens * run.model.vocabSize);
    const tempered = tape.name(
      code.logits === 'in place' ? scaleInPlace(tape, shifted) : scale(tape, shifted),
    );
    const chosen = tape.name(tape.empty(tokens, 'int64'));
    if (isHalf(tempered.dtype)) return sum(tape, gather(tape, logSoftmax(tape, tempered), chosen));
    const selected = gather(tape, tempered, chosen);
    return sum(tape, add(tape, selected, logSumExpRows(tape, tempered, batch, tokens)));
  });
}
