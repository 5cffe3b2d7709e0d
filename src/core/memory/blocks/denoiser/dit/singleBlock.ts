import type { Builder } from '../../../modules';
import { activation } from '../../../ops/pointwise';
import { catAll } from '../../../ops/shape';
import { buildAdaNorm } from './adaNorm';
import { buildSelfAttention } from './attention';
import type { AttentionDesign } from './attention';
import { gatedSum } from './gated';
import type { JointBlock } from './jointBlock';

interface SingleDesign {
  readonly attention: AttentionDesign;
  readonly inner: number;
  /** Null: vectors of the time step are given. */
  readonly vectorBias: boolean | null;
}

const VECTORS = 3;

/** FluxSingleTransformerBlock: attention and MLP in parallel, over image and text concatenated. */
export function buildSingleBlock(
  builder: Builder,
  { attention, inner, vectorBias }: SingleDesign,
): JointBlock {
  const { width, heads, headDim } = attention;
  const vectors = { width, count: VECTORS, bias: vectorBias ?? false, given: vectorBias === null };
  const norm = buildAdaNorm(builder, 'norm.linear', vectors);
  const up = builder.linear({ name: 'proj_mlp', inputs: width, outputs: inner, bias: true });
  const out = builder.linear({
    name: 'single_transformer_blocks.proj_out',
    inputs: heads * headDim + inner,
    outputs: width,
    bias: true,
  });
  const attend = buildSelfAttention(builder, attention, false);
  return (tape, [x], call) => {
    if (!x) return [];
    return tape.call([x], () => {
      const [normed = x, gate = x] = norm(tape, x, call.time).map(one => tape.name(one));
      const states = tape.name(activation(tape, up(tape, normed)));
      const seen = tape.name(attend(tape, normed, call));
      const joined = tape.name(catAll(tape, [seen, states]));
      return [gatedSum(tape, x, gate, out(tape, joined))];
    });
  };
}
