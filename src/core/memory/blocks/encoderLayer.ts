import type { Builder, Linear, Step } from '../modules';
import { add, dropout } from '../ops/pointwise';
import type { Tape } from '../tape';
import type { Tensor } from '../tensor';
import type { ModelFacts } from '../../models/model';
import { activationNamed } from './activation';
import { attend, gradientIsOrderly, viewAsHeads } from './attend';
import type { AttendContext } from './attend';
import { buildLayerNorm } from './norm';

/** Shared by all layers of one forward pass. */
export interface EncoderContext extends AttendContext {
  /** Dropout probability of what a layer adds, in training. */
  readonly hiddenDropout: number;
  readonly handsWeightsOn: boolean;
  readonly biasInPlace?: boolean;
}

/** One layer's forward pass. */
export type EncoderLayer = (tape: Tape, x: Tensor, context: EncoderContext) => Tensor;

/** Projections of queries, keys and values. */
export type Inputs = readonly [query: Linear, key: Linear, value: Linear];

/** A BertLayer: attention, residual, norm; MLP, residual, norm. */
export function buildEncoderLayer(builder: Builder, model: ModelFacts): EncoderLayer {
  const { hiddenSize: hidden, intermediateSize: intermediate } = model;
  const make = (name: string, inputs: number, outputs: number): Linear =>
    builder.linear({ name, inputs, outputs, bias: true });
  const square = (name: string): Linear => make(name, hidden, hidden);
  const inputs: Inputs = [square('query'), square('key'), square('value')];
  const output = square('dense');
  const attentionNorm = buildLayerNorm(builder, hidden);
  const [up, down] = [make('dense', hidden, intermediate), make('dense', intermediate, hidden)];
  const norm = buildLayerNorm(builder, hidden);
  const act = activationNamed(model.activation);
  return (tape, x, context) =>
    tape.call([x], () => {
      const [mixed = x, ...weights] = selfAttention(tape, x, inputs, context);
      tape.name(mixed);
      for (const kept of weights) tape.name(kept);
      const change = output(tape, mixed);
      const attended = tape.rename(mixed, withResidual(tape, change, x, attentionNorm, context));
      const widened = tape.name(act(tape, up(tape, attended)));
      return withResidual(tape, down(tape, widened), attended, norm, context);
    });
}

/** BertSelfOutput, BertOutput after their linear layer: norm(dropout(change) + x). */
export function withResidual(
  tape: Tape,
  change: Tensor,
  x: Tensor,
  norm: Step,
  { hiddenDropout }: Pick<EncoderContext, 'hiddenDropout'>,
): Tensor {
  const projected = tape.name(change);
  const dropped = tape.rename(projected, dropout(tape, projected, hiddenDropout));
  const result = norm(tape, add(tape, dropped, x));
  tape.drop(dropped);
  return result;
}

/** The attention output for x, with its weights if they exist. `output` runs before the heads are freed. */
export function selfAttention(
  tape: Tape,
  x: Tensor,
  inputs: Inputs,
  context: EncoderContext,
  output?: Step,
): readonly Tensor[] {
  const { heads } = context.shape;
  return tape.call([x], () => {
    const orderly = gradientIsOrderly(tape, context, x.dtype);
    const [query = x, key = x, value = x] = inputs.map(project =>
      tape.name(viewAsHeads(tape, project(tape, x), heads, !orderly)),
    );
    const [mixed = x, ...made] = attend(tape, { query, key, value }, context);
    const weights = context.handsWeightsOn ? made : [];
    for (const unused of context.handsWeightsOn ? [] : made) tape.name(unused);
    if (!output) return [mixed, ...weights];
    for (const kept of weights) tape.name(kept);
    return [output(tape, tape.name(mixed)), ...weights];
  });
}
