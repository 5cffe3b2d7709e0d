import type { ModelFacts } from '../../../models/model';
import type { Builder, Linear } from '../../modules';
import { sdpaWithBias } from '../../ops/attention';
import type { Heads } from '../../ops/attention';
import type { Tape } from '../../tape';
import type { Parameter, Tensor } from '../../tensor';
import { gradientIsOrderly, viewAsHeads } from '../attend';
import type { AttendContext } from '../attend';
import { eagerAttention } from '../eagerAttention';
import { cached } from '../bart/attention';
import { biasMask, relativeBias } from './positionBias';

/** Values that the layers of a stack share in one forward pass, for one kind of attention. */
export interface T5Context extends AttendContext {
  readonly causal: boolean;
  /** The source of keys and values, if not the queries' input. */
  readonly source: Tensor | null;
  /** Zeros instead of a bias require a gradient: T5Attention sets this under checkpointing. */
  readonly zerosAreTrained: boolean;
  readonly biases: SharedBias;
}

/** The bias that the first layer computes and the others reuse. */
export class SharedBias {
  tensor: Tensor | null = null;

  /** False when the first layer runs again in backward, after its bias was shared. */
  share(tape: Tape, made: Tensor): boolean {
    if (this.tensor !== null) return false;
    this.tensor = tape.keep(made);
    return true;
  }
}

/** T5Attention: its output, its bias, and its weights if they exist. */
export type T5Attention = (tape: Tape, x: Tensor, context: T5Context) => Attended;

export type Attended = readonly [states: Tensor, bias: Tensor, ...weights: Tensor[]];

/** The parameters of a T5Attention; a stack's first self-attention has the table of distances. */
export function buildT5Attention(
  builder: Builder,
  model: ModelFacts,
  rows: number,
  isFirst: boolean,
): T5Attention {
  const { heads, headDim, hiddenSize } = model;
  const inner = heads * headDim;
  const into = (name: string): Linear =>
    builder.linear({ name, inputs: hiddenSize, outputs: inner, bias: false });
  const [toQuery, toKey, toValue] = [into('q'), into('k'), into('v')];
  const output = builder.linear({ name: 'o', inputs: inner, outputs: hiddenSize, bias: false });
  const table = isFirst && rows > 0 ? builder.embedding('relative_attention_bias', rows, heads) : null;
  return (tape, x, context) =>
    tape.call([x], () => {
      const from = context.source ?? x;
      const orderly = gradientIsOrderly(tape, context, x.dtype);
      const seen = (project: Linear, of: Tensor): Tensor =>
        tape.name(viewAsHeads(tape, project(tape, of), heads, !orderly));
      const query = seen(toQuery, x);
      const [key, value] = cached(tape, [seen(toKey, from), seen(toValue, from)], context);
      const bias = tape.name(
        (isFirst ? null : context.biases.tensor) ?? firstBias(tape, table, query, context),
      );
      const permuted = rows > 0;
      const [mixed = query, ...weights] = attend(tape, { query, key, value }, bias, { ...context, permuted });
      for (const kept of weights) tape.name(kept);
      const merged = tape.name(mixed);
      return [output(tape, merged), bias, ...weights] as const;
    });
}

/** From the table, or zeros; the first layer shares it. */
function firstBias(tape: Tape, table: Parameter | null, query: Tensor, context: T5Context): Tensor {
  const { shape, biases, causal } = context;
  if (table) {
    const bias = relativeBias(tape, table, shape, !causal);
    biases.share(tape, bias);
    return bias;
  }
  const zeros = tape.empty(shape.heads * shape.queries * shape.keys, query.dtype);
  if (!context.zerosAreTrained) {
    biases.share(tape, zeros);
    return zeros;
  }
  const leaf = tape.done(tape.leaf(zeros), zeros);
  if (biases.share(tape, leaf)) tape.graph?.holdLeaf(leaf);
  return leaf;
}

function attend(
  tape: Tape,
  heads: Heads,
  bias: Tensor,
  context: T5Context & { readonly permuted: boolean },
): readonly Tensor[] {
  if (context.kind === 'eager') return eagerAttention(tape, heads, { ...context, bias });
  const { query, key, value } = heads;
  return tape.call([query, key, value, bias], () => {
    const { causal, permuted } = context;
    const mask = tape.name(biasMask(tape, bias, { context, causal, permuted }));
    return [sdpaWithBias(tape, heads, context.shape, mask)];
  });
}
