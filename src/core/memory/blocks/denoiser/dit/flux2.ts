import type { Builder, Linear, Step } from '../../../modules';
import { to } from '../../../ops/cast';
import { sdpa } from '../../../ops/attention';
import { plainLayerNorm } from '../../../ops/norm';
import { catAll, split } from '../../../ops/shape';
import type { Tape } from '../../../tape';
import type { Tensor } from '../../../tensor';
import { modulate } from '../timeEmbedding';
import { buildJointAttention } from './attention';
import type { AttentionCall, AttentionDesign, Turn } from './attention';
import type { Streams } from './chain';
import { buildHalvedMlp, gatedSum, halves } from './gated';
import { fusedRmsNorm } from '../layers';

interface Flux2Sizes {
  readonly width: number;
  readonly heads: number;
  readonly headDim: number;
  readonly inner: number;
}

/** Vectors from the time step for all blocks of a kind: shifts, factors and gates. */
export interface Flux2Call extends AttentionCall {
  readonly turn: Turn;
  readonly ofImage: Tensor;
  readonly ofText: Tensor;
  readonly ofBoth: Tensor;
}

export type Flux2Block = (tape: Tape, streams: Streams, call: Flux2Call) => Streams;

const designOf = ({ width, heads, headDim }: Flux2Sizes): AttentionDesign => ({
  width,
  heads,
  headDim,
  bias: false,
  outBias: false,
  norm: fusedRmsNorm,
  byHead: false,
  turns: 'together',
});

function parts(tape: Tape, vectors: Tensor, count: number): readonly Tensor[] {
  const sizes = Array.from({ length: count }, () => vectors.elements / count);
  return split(tape, tape.view(vectors, vectors.elements, vectors.node, vectors.slot), sizes).map(one =>
    tape.name(one),
  );
}

/** Flux2TransformerBlock.forward (diffusers, models/transformers/transformer_flux2.py). */
export function buildFlux2Block(builder: Builder, sizes: Flux2Sizes): Flux2Block {
  const { width, inner } = sizes;
  const attention = buildJointAttention(builder, designOf(sizes), 'text first');
  const names = ['linear_in', 'linear_out'] as const;
  const mlps = [0, 1].map(() => buildHalvedMlp(builder, { width, inner, bias: false, names }));
  return (tape, [text, image], call) => {
    if (!text || !image) return [];
    return tape.call([text, image], () => {
      const vectors = [parts(tape, call.ofText, 6), parts(tape, call.ofImage, 6)] as const;
      const normed = [text, image].map((x, i) => {
        const [offset = x, factor = x] = vectors[i] ?? [];
        return tape.name(modulate(tape, plainLayerNorm(tape, x, width), factor, offset));
      });
      const [words = text, pixels = image] = normed;
      const [seen = image, read = text] = attention(tape, pixels, words, call).map(one => tape.name(one));
      return [read, seen].map((change, i) => {
        const x = i === 0 ? text : image;
        return fed(tape, x, change, vectors[i] ?? [], { width, mlp: mlps[1 - i] });
      });
    });
  };
}

interface Fed {
  readonly width: number;
  readonly mlp: Step | undefined;
}

/** Adds the attention output to the stream, then its MLP. */
function fed(tape: Tape, x: Tensor, change: Tensor, vectors: readonly Tensor[], { width, mlp }: Fed): Tensor {
  const [, , gate = x, offset = x, factor = x, lastGate = x] = vectors;
  const states = tape.name(gatedSum(tape, x, gate, change));
  const normed = tape.name(modulate(tape, plainLayerNorm(tape, states, width), factor, offset));
  const output = tape.name(mlp ? mlp(tape, normed) : normed);
  return tape.name(gatedSum(tape, states, lastGate, output));
}

/** Flux2SingleTransformerBlock.forward: one product for queries, keys, values and the MLP, and one after both. */
export function buildFlux2Single(builder: Builder, sizes: Flux2Sizes): Flux2Block {
  const { width, heads, headDim, inner } = sizes;
  const wide = heads * headDim;
  const linear = (name: string, inputs: number, outputs: number): Linear =>
    builder.linear({ name, inputs, outputs, bias: false });
  const into = linear('to_qkv_mlp_proj', width, 3 * wide + 2 * inner);
  const norms = [fusedRmsNorm(builder, headDim), fusedRmsNorm(builder, headDim)];
  const out = linear('attn.to_out', wide + inner, width);
  return (tape, [x], { batch, hasFlash, turn, ofBoth }) => {
    if (!x) return [];
    return tape.call([x], () => {
      const [offset = x, factor = x, gate = x] = parts(tape, ofBoth, 3);
      const normed = tape.name(modulate(tape, plainLayerNorm(tape, x, width), factor, offset));
      const tokens = x.elements / (batch * width);
      const attended = tape.call([normed], () => {
        const all = tape.name(into(tape, normed));
        const rows = batch * tokens;
        const cut = split(tape, all, [rows * wide, rows * wide, rows * wide, rows * 2 * inner]);
        const [query = all, key = all, value = all, rest = all] = cut.map(one => tape.name(one));
        const [q = query, k = key] = [query, key].map((one, i) => {
          const flat = norms[i] ? tape.rename(one, norms[i](tape, one)) : one;
          return tape.rename(flat, turn(tape, flat));
        });
        const shape = { batch, heads, kvHeads: heads, headDim, queries: tokens, keys: tokens, hasFlash };
        const mixed = tape.name(to(tape, sdpa(tape, { query: q, key: k, value }, shape, null), q.dtype));
        const gated = tape.rename(rest, halves(tape, rest));
        return out(tape, tape.rename(mixed, catAll(tape, [mixed, gated])));
      });
      return [gatedSum(tape, x, gate, tape.name(attended))];
    });
  };
}
