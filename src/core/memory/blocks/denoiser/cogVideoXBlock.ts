import type { Builder, Step } from '../../modules';
import { layerNorm } from '../../ops/norm';
import { add, mul } from '../../ops/pointwise';
import { cat, slice } from '../../ops/shape';
import type { Tape } from '../../tape';
import type { Tensor } from '../../tensor';
import { buildJointAttention } from './cogVideoXAttention';
import type { AttentionCall, HeadSizes } from './cogVideoXAttention';
import { buildFeedForward } from './layers';
import { buildModulations, modulate } from './timeEmbedding';

/** Both streams, normalized and modulated, and the gates of their outputs. */
type NormZero = (
  tape: Tape,
  video: Tensor,
  text: Tensor,
  time: Tensor,
) => readonly [video: Tensor, text: Tensor, gate: Tensor, textGate: Tensor];

/**
 * CogVideoXLayerNormZero (diffusers, models/normalization.py): one norm for both streams, six vectors of the time
 * step.
 */
function buildNormZero(builder: Builder, width: number, timeSize: number, name: string): NormZero {
  const vectors = buildModulations(builder, `${name}.linear`, { from: timeSize, size: width, count: 6 });
  const norm = { weight: builder.vector(width), bias: builder.vector(width) };
  return (tape, video, text, time) =>
    tape.call([video, text, time], () => {
      const [
        offset = time,
        factor = time,
        gate = time,
        textOffset = time,
        textFactor = time,
        textGate = time,
      ] = vectors(tape, time).map(one => tape.name(one));
      const normed = tape.name(modulate(tape, layerNorm(tape, video, norm), factor, offset));
      const normedText = modulate(tape, layerNorm(tape, text, norm), textFactor, textOffset);
      return [normed, tape.name(normedText), gate, textGate];
    });
}

/** The inputs of all blocks in a forward pass in addition to the two streams. */
export interface BlockCall extends AttentionCall {
  readonly time: Tensor;
}

export type StreamBlock = (tape: Tape, video: Tensor, text: Tensor, call: BlockCall) => readonly Tensor[];

/** CogVideoXBlock.forward (diffusers, models/transformers/cogvideox_transformer_3d.py). */
export function buildCogVideoXBlock(builder: Builder, sizes: HeadSizes, timeSize: number): StreamBlock {
  const width = sizes.heads * sizes.headDim;
  const norms = [buildNormZero(builder, width, timeSize, 'norm1')];
  const attention = buildJointAttention(builder, sizes);
  norms.push(buildNormZero(builder, width, timeSize, 'norm2'));
  const mlp = buildFeedForward(builder, width);
  const [first, second] = norms;
  return (tape, video, text, call) =>
    tape.call([video, text], () => {
      const before = first?.(tape, video, text, call.time).map(one => tape.name(one)) ?? [];
      const [normed = video, normedText = text, gate = text, textGate = text] = before;
      const [attended, attendedText] = attention(tape, normed, normedText, call);
      for (const one of [attended, attendedText]) tape.name(one);
      const middle = tape.name(add(tape, video, mul(tape, gate, attended)));
      const middleText = tape.name(add(tape, text, mul(tape, textGate, attendedText)));
      const after = second?.(tape, middle, middleText, call.time).map(one => tape.name(one)) ?? [];
      for (const one of [normed, normedText]) tape.drop(one);
      return fed(tape, [middle, middleText], after, mlp);
    });
}

/** One MLP over both streams. `normed`: both, with their gates. */
function fed(
  tape: Tape,
  [video, text]: readonly [Tensor, Tensor],
  [normed = video, normedText = text, gate = text, textGate = text]: readonly Tensor[],
  mlp: Step,
): readonly Tensor[] {
  const joined = tape.rename(normed, cat(tape, normedText, normed));
  const output = tape.name(mlp(tape, joined));
  const part = (of: Tensor, by: Tensor): Tensor => mul(tape, by, slice(tape, output, of.elements));
  const result = tape.name(add(tape, video, part(video, gate)));
  return [result, add(tape, text, part(text, textGate))];
}
