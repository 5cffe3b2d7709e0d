import type { Model } from '../../architecture';
import { to } from '../../ops/cast';
import { meanSquaredError } from '../../ops/loss';
import type { MemoryRun } from '../../run';
import type { Tape } from '../../tape';
import type { Tensor } from '../../tensor';
import { LOGITS } from '../../terms';

/** How latents are split into tokens. */
export interface Patches {
  /** Tokens per row. */
  readonly tokens: number;
  /** Elements per patch. */
  readonly elements: number;
}

/** Patches of `side` × `side` latents over `frames` frames; images have one frame. */
export function latentPatches({ batch: { image } }: MemoryRun, side: number, frames = 1): Patches {
  if (image === null) return { tokens: 0, elements: 0 };
  const { channels, height, width } = image;
  const depth = Math.ceil((image.frames ?? 1) / frames);
  const tokens = depth * Math.floor(height / side) * Math.floor(width / side);
  return { tokens, elements: channels * side * side * frames };
}

/**
 * The squared error in fp32. The latents stand in for the prediction (noise, a velocity), which has the same size.
 */
export function denoisingLoss(tape: Tape, predicted: Tensor, latents: Tensor): Tensor {
  return tape.during(LOGITS, () =>
    meanSquaredError(tape, to(tape, predicted, 'fp32'), to(tape, latents, 'fp32')),
  );
}

/** A text's hidden states, per row. */
interface TextShape {
  readonly tokens: number;
  readonly size: number;
}

/** The framework's number of text tokens, else that of the diffusers pipeline. */
export const textTokensOf = ({ behavior }: MemoryRun, usual: number): number => behavior.textTokens ?? usual;

/** A forward pass over latents and text states, with the loss of its prediction. */
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
