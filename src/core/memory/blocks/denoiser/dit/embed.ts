import type { Builder, Step } from '../../../modules';
import { to } from '../../../ops/cast';
import { convolution } from '../../../ops/convolution';
import { activation, add } from '../../../ops/pointwise';
import { copy } from '../../../ops/shape';
import { bytesPer } from '../../../tensor';
import type { Element } from '../../../tensor';
import type { Patches } from '../latents';

interface PatchShape {
  readonly batch: number;
  readonly width: number;
  readonly side: number;
  readonly patches: Patches;
  /** The added position table: its positions and dtype; null: none. */
  readonly positions: { readonly places: number; readonly dtype: Element } | null;
}

/** PatchEmbed (diffusers, models/embeddings.py): a convolution with patches as windows, and fixed positions. */
export function buildPatchEmbed(builder: Builder, shape: PatchShape): Step {
  const { batch, width, side, patches, positions } = shape;
  const weight = builder.kernel([width, patches.elements / side ** 2, side, side]);
  const kernel = { weight, bias: builder.vector(width) };
  if (positions) builder.buffer(positions.places * width * bytesPer(positions.dtype));
  const elements = batch * patches.tokens * width;
  return (tape, x) =>
    tape.call([x], () => {
      const states = tape.name(convolution(tape, x, kernel, elements));
      if (positions === null) return states;
      const table = tape.name(tape.empty(patches.tokens * width, positions.dtype));
      return to(tape, add(tape, states, table), states.dtype);
    });
}

/** Rearranges patches, then a linear layer. */
export function buildLinearPatches(builder: Builder, name: string, inputs: number, outputs: number): Step {
  const layer = builder.linear({ name, inputs, outputs, bias: true });
  return (tape, x) => layer(tape, copy(tape, x));
}

/** PixArtAlphaTextProjection: two linear layers with an activation in between. */
export function buildTextProjection(builder: Builder, inputs: number, width: number): Step {
  const first = builder.linear({ name: 'text.linear_1', inputs, outputs: width, bias: true });
  const second = builder.linear({ name: 'text.linear_2', inputs: width, outputs: width, bias: true });
  return (tape, x) => second(tape, activation(tape, first(tape, x)));
}
