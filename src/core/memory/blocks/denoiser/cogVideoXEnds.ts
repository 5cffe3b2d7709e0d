import type { Builder } from '../../modules';
import { convolution } from '../../ops/convolution';
import { layerNorm } from '../../ops/norm';
import { add } from '../../ops/pointwise';
import { cat, copy } from '../../ops/shape';
import type { Tape } from '../../tape';
import { bytesPer } from '../../tensor';
import type { Element, Tensor } from '../../tensor';
import { buildLayerNorm } from '../norm';
import type { Patches } from './latents';
import { buildModulations, modulate } from './timeEmbedding';

/** Sizes of the parts before and after the blocks. */
export interface EndSizes {
  readonly batch: number;
  readonly width: number;
  readonly timeSize: number;
  readonly textSize: number;
  readonly textTokens: number;
  readonly patches: Patches;
  /** The side of a patch; null: its projection is a linear layer, because it spans frames (CogVideoX 1.5). */
  readonly window: number | null;
  /** Dtype of positions that are added to the tokens; null: positions are rotated. */
  readonly positions: Element | null;
}

/** Text and patches concatenated: CogVideoXPatchEmbed (diffusers, models/embeddings.py). */
export function buildEmbeddings(builder: Builder, sizes: EndSizes) {
  const { width, textSize, textTokens, patches, positions } = sizes;
  const project = buildProjection(builder, sizes);
  const ofText = builder.linear({ name: 'text_proj', inputs: textSize, outputs: width, bias: true });
  const places = (textTokens + patches.tokens) * width;
  if (positions !== null) builder.buffer(places * bytesPer(positions));
  return (tape: Tape, latents: Tensor, text: Tensor): Tensor =>
    tape.call([latents, text], () => {
      const words = tape.name(ofText(tape, text));
      const images = tape.name(project(tape, latents));
      const joined = tape.name(cat(tape, words, images));
      // The position table is a buffer, so only the sum is new.
      return positions === null ? joined : add(tape, joined, tape.view(joined, joined.elements));
    });
}

function buildProjection(builder: Builder, { batch, width, patches, window }: EndSizes) {
  if (window === null) {
    const shape = { name: 'patch_embed.proj', inputs: patches.elements, outputs: width, bias: true };
    const layer = builder.linear(shape);
    return (tape: Tape, x: Tensor): Tensor => layer(tape, copy(tape, x));
  }
  const weight = builder.kernel([width, patches.elements / window ** 2, window, window]);
  const kernel = { weight, bias: builder.vector(width) };
  const elements = batch * patches.tokens * width;
  return (tape: Tape, x: Tensor): Tensor => convolution(tape, x, kernel, elements);
}

/**
 * Two norms, the second with vectors of the time step (AdaLayerNorm), the projection to patches, and their
 * rearrangement.
 */
export function buildEnd(builder: Builder, { width, timeSize, patches }: EndSizes) {
  const norm = buildLayerNorm(builder, width);
  const vectors = buildModulations(builder, 'norm_out.linear', { from: timeSize, size: width, count: 2 });
  const last = { weight: builder.vector(width), bias: builder.vector(width) };
  const shape = { name: 'proj_out', inputs: width, outputs: patches.elements, bias: true };
  const project = builder.linear(shape);
  return (tape: Tape, x: Tensor, time: Tensor): Tensor =>
    tape.call([x, time], () => {
      const normed = tape.name(norm(tape, x));
      const [offset = time, factor = time] = vectors(tape, time).map(one => tape.name(one));
      const states = tape.rename(normed, modulate(tape, layerNorm(tape, normed, last), factor, offset));
      return copy(tape, project(tape, states));
    });
}
