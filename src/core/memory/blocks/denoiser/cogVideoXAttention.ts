import type { Builder, Linear } from '../../modules';
import { assign } from '../../ops/inPlace';
import { sdpa } from '../../ops/attention';
import { layerNorm } from '../../ops/norm';
import type { LayerNorm } from '../../ops/norm';
import { cat, copy, slice, split } from '../../ops/shape';
import type { Tape } from '../../tape';
import type { Tensor } from '../../tensor';
import { rotatePairs } from './rotation';
import type { Angles } from './rotation';

export interface HeadSizes {
  readonly heads: number;
  readonly headDim: number;
  /** Queries, keys and values have a bias. */
  readonly bias: boolean;
}

/** Values that all blocks of a forward pass share. */
export interface AttentionCall {
  readonly batch: number;
  readonly hasFlash: boolean;
  /** Null: positions are not rotated. */
  readonly angles: Angles | null;
}

/** Attention over text and video tokens together. */
type JointAttention = (
  tape: Tape,
  video: Tensor,
  text: Tensor,
  call: AttentionCall,
) => readonly [video: Tensor, text: Tensor];

/** Attention of diffusers with CogVideoXAttnProcessor2_0 (models/attention_processor.py). */
export function buildJointAttention(builder: Builder, sizes: HeadSizes): JointAttention {
  const { heads, headDim, bias } = sizes;
  const width = heads * headDim;
  const norm = (): LayerNorm => ({ weight: builder.vector(headDim), bias: builder.vector(headDim) });
  const norms = [norm(), norm()] as const;
  const input = (name: string): Linear => builder.linear({ name, inputs: width, outputs: width, bias });
  const inputs = [input('to_q'), input('to_k'), input('to_v')] as const;
  const output = builder.linear({ name: 'to_out.0', inputs: width, outputs: width, bias: true });
  return (tape, video, text, call) =>
    tape.call([video, text], () => {
      const textPart = text.elements;
      const states = tape.name(cat(tape, text, video));
      const made = inputs.map(layer => tape.name(layer(tape, states)));
      const [query = states, key = states, value = states] = made;
      const turned = [query, key].map((x, i) => {
        const normed = tape.rename(x, layerNorm(tape, x, norms[i === 0 ? 0 : 1], 'by head'));
        return call.angles ? rotated(tape, normed, textPart, call.angles) : normed;
      });
      const mixed = attend(tape, { query: turned[0] ?? query, key: turned[1] ?? key, value }, sizes, call);
      const ordered = tape.rename(states, mixed);
      const projected = tape.rename(ordered, output(tape, ordered));
      const [ofText = projected, ofVideo = projected] = split(tape, projected, [textPart, video.elements]);
      return [ofVideo, ofText];
    });
}

/** Rotates the part after the text in place. */
function rotated(tape: Tape, x: Tensor, textPart: number, angles: Angles): Tensor {
  const part = slice(tape, x, x.elements - textPart);
  return tape.rename(x, assign(tape, x, rotatePairs(tape, part, angles)));
}

function attend(
  tape: Tape,
  qkv: { readonly query: Tensor; readonly key: Tensor; readonly value: Tensor },
  { heads, headDim }: HeadSizes,
  { batch, hasFlash }: AttentionCall,
): Tensor {
  const tokens = qkv.query.elements / (batch * heads * headDim);
  const shape = { batch, heads, kvHeads: heads, headDim, queries: tokens, keys: tokens, hasFlash };
  // Normalized queries are laid out by head, and so is the output: the reshape copies.
  return copy(tape, sdpa(tape, qkv, shape, null));
}
