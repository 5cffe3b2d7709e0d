import type { Tape } from '../tape';
import { bytesPer } from '../tensor';
import type { Tensor } from '../tensor';

/** What decides how much a CTC loss computes. */
export interface CtcShape {
  readonly batch: number;
  readonly frames: number;
  /** Labels of the longest row. */
  readonly labels: number;
}

/**
 * torch's own ctc_loss: for each frame and each place between labels and blanks a number, which is kept beside the
 * log-probabilities; backwards as many again, and the gradient (aten/native/cuda/LossCTC.cu).
 */
export function ctcLoss(tape: Tape, logProbabilities: Tensor, { batch, frames, labels }: CtcShape): Tensor {
  const places = batch * frames * (2 * labels + 1);
  const node = tape.record(logProbabilities);
  const losses = tape.empty(batch, logProbabilities.dtype);
  const alphas = tape.empty(places, logProbabilities.dtype);
  if (node) {
    for (const kept of [logProbabilities, losses, alphas]) node.save(kept);
    node.backward = () => {
      const betas = tape.workspace(places * bytesPer(logProbabilities.dtype));
      return [tape.done(tape.like(logProbabilities), betas)];
    };
  }
  for (const one of [losses, alphas]) tape.spend(one);
  return tape.done(tape.empty(1, logProbabilities.dtype, node), logProbabilities);
}
