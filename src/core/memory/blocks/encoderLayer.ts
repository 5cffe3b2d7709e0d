import type { Builder, Linear, Step } from '../modules';
import { dropout } from '../ops/dropout';
import { activation, add } from '../ops/pointwise';
import type { Tape } from '../tape';
import type { Tensor } from '../tensor';
import type { ModelFacts } from '../../models/model';
import { attend, gradientIsOrderly, inHeads } from './attend';
import type { AttendContext } from './attend';
import { buildLayerNorm } from './norm';

export interface EncoderLayer {
  readonly inputs: readonly [query: Linear, key: Linear, value: Linear];
  readonly output: Linear;
  readonly attentionNorm: Step;
  readonly up: Linear;
  readonly down: Linear;
  readonly norm: Step;
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
  norm: Step,
  { hiddenDropout }: EncoderContext,
): Tensor {
  const projected = tape.name(change);
  const dropped = tape.rename(projected, dropout(tape, projected, hiddenDropout));
  const result = norm(tape, add(tape, dropped, x));
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
