import type { Model } from '../../../architecture';
import type { MemoryRun } from '../../../run';
import type { Tape } from '../../../tape';
import type { Tensor } from '../../../tensor';
import { denoisingLoss } from '../latents';

/** States of a text, row by row. */
export interface TextShape {
  readonly tokens: number;
  readonly size: number;
}

/** Tokens that the framework makes of a text, else those of the pipeline in diffusers. */
export const textTokensOf = ({ behavior }: MemoryRun, usual: number): number => behavior.textTokens ?? usual;

/** A forward pass that is given latents and states of a text, and what it gives held against what was to be found. */
export function denoiser(
  { batch: { rows: batch }, numbers: { autocast, weightDtype } }: MemoryRun,
  { tokens, size }: TextShape,
  predict: (tape: Tape, latents: Tensor, text: Tensor) => Tensor,
): Model {
  const dtype = autocast ?? weightDtype;
  return (tape, { inputIds: latents }) =>
    tape.call([latents], () => {
      const text = tape.name(tape.empty(batch * tokens * size, dtype));
      const predicted = tape.name(tape.call([latents, text], () => predict(tape, latents, text)));
      return denoisingLoss(tape, predicted, latents);
    });
}
