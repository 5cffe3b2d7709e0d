import { to } from '../../ops/cast';
import { meanSquaredError } from '../../ops/loss';
import type { Tape } from '../../tape';
import type { Tensor } from '../../tensor';
import { LOGITS } from '../../terms';

/** The squared error in fp32. The latents stand for what is to be found (noise, a velocity), which is as large. */
export function denoisingLoss(tape: Tape, predicted: Tensor, latents: Tensor): Tensor {
  return tape.during(LOGITS, () =>
    meanSquaredError(tape, to(tape, predicted, 'fp32'), to(tape, latents, 'fp32')),
  );
}
