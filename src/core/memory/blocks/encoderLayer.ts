import type { Builder, Linear } from '../modules';
import { dropout } from '../ops/dropout';
import { layerNorm } from '../ops/norm';
import type { LayerNorm } from '../ops/norm';
import { activation, add } from '../ops/pointwise';
import type { Tape } from '../tape';
import type { Tensor } from '../tensor';
import type { ModelFacts } from '../../models/model';
import { attend, gradientIsOrderly, inHeads } from './attend';
import type { AttendContext } from './attend';

export interface EncoderLayer {
  readonly inputs: readonly [query: Linear, key: Linear, value: Linear];
  readonly output: Linear;
  readonly attentionNorm: LayerNorm;
  readonly up: Linear;
  readonly down: Linear;
  readonly norm: LayerNorm;
}

/** What all layers of one forward pass share. */
export interface EncoderContext extends AttendContext {
  /** Probability of dropout of what a layer adds, while training. */
  readonly hiddenDropout: number;
}

/** The parameters of a BertLayer, in its order. */
export function buildEncoderLayer(builder: Builder, model: ModelFacts): EncoderLayer {
  const { hiddenSize: hidden, intermediateSize: intermediate } = model;
  const make = (name: string, inputs: number, outputs: number): Linear =>
    builder.linear({ name, inputs, outputs, bias: true });
  return {
    inputs: [make('query', hidden, hidden), make('key', hidden, hidden), make('value', hidden, hidden)],
    output: make('dense', hidden, hidden),
    attentionNorm: buildLayerNorm(builder, hidden),
    up: make('dense', hidden, intermediate),
    down: make('dense', intermediate, hidden),
    norm: buildLayerNorm(builder, hidden),
  };
}

export function buildLayerNorm(builder: Builder, size: number): LayerNorm {
  return { weight: builder.vector(size), bias: builder.vector(size) };
}

/** BertLayer: attention, residual, norm; MLP, residual, norm. */
export function encoderLayer(tape: Tape, x: Tensor, layer: EncoderLayer, context: EncoderContext): Tensor {
  return tape.call([x], () => {
    const [mixed = x, ...weights] = selfAttention(tape, x, layer, context);
    tape.name(mixed);
    for (const kept of weights) tape.name(kept);
    const attended = tape.rename(
      mixed,
      withResidual(tape, layer.output(tape, mixed), x, layer.attentionNorm, context),
    );
    const widened = tape.name(activation(tape, layer.up(tape, attended)));
    return withResidual(tape, layer.down(tape, widened), attended, layer.norm, context);
  });
}

/** BertSelfOutput, BertOutput after their linear layer: norm(dropout(change) + x). */
function withResidual(
  tape: Tape,
  change: Tensor,
  x: Tensor,
  norm: LayerNorm,
  { hiddenDropout }: EncoderContext,
): Tensor {
  const projected = tape.name(change);
  const dropped = hiddenDropout > 0 ? tape.rename(projected, dropout(tape, projected)) : projected;
  const result = layerNorm(tape, add(tape, dropped, x), norm);
  tape.drop(dropped);
  return result;
}

function selfAttention(
  tape: Tape,
  x: Tensor,
  { inputs }: EncoderLayer,
  context: EncoderContext,
): readonly Tensor[] {
  const { heads } = context.shape;
  return tape.call([x], () => {
    const orderly = gradientIsOrderly(tape, context, x.dtype);
    const [query, key, value] = inputs.map(project =>
      tape.name(inHeads(tape, project(tape, x), heads, !orderly)),
    );
    return query && key && value ? attend(tape, { query, key, value }, context) : [x];
  });
}
