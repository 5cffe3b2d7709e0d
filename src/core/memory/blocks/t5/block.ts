import type { ModelFacts } from '../../../models/model';
import type { Builder, Step } from '../../modules';
import { to } from '../../ops/cast';
import { add, clampTo, dropout, mean, mul, rsqrt, shift, square } from '../../ops/pointwise';
import type { MemoryRun } from '../../run';
import type { Tape } from '../../tape';
import { isHalf } from '../../tensor';
import type { Tensor } from '../../tensor';
import { activationNamed } from '../activation';
import { buildT5Attention } from './attention';
import type { Attended, T5Attention, T5Context } from './attention';

/** T5LayerNorm: scales the input itself by an fp32 factor; the result has the weight's dtype if that is 16-bit. */
export function buildT5Norm(builder: Builder, size: number): Step {
  const weight = builder.vector(size);
  return (tape, input) =>
    tape.call([input], () => {
      const variance = tape.name(mean(tape, square(tape, to(tape, input, 'fp32')), size));
      let x = tape.rename(input, mul(tape, input, rsqrt(tape, shift(tape, variance))));
      if (isHalf(weight.dtype)) x = tape.rename(x, to(tape, x, weight.dtype));
      return mul(tape, weight, x);
    });
}

/** The dtype of `wo` decides the dtype of its input. */
function buildMlp(builder: Builder, run: MemoryRun, rate: number): Step {
  const { hiddenSize: hidden, intermediateSize: inner, gatedMlp, activation } = run.model;
  const into = (name: string): Step => builder.linear({ name, inputs: hidden, outputs: inner, bias: false });
  const up = into(gatedMlp ? 'wi_0' : 'wi');
  const secondInput = gatedMlp ? into('wi_1') : null;
  const shape = { name: 'wo', inputs: inner, outputs: hidden, bias: false, keptWide: true };
  const down = builder.linear(shape);
  const dtype = builder.dtypeOf(shape);
  const act = activationNamed(activationOf(activation));
  return (tape, x) =>
    tape.call([x], () => {
      let states = tape.name(act(tape, up(tape, x)));
      if (secondInput) {
        const linear = tape.name(secondInput(tape, x));
        states = tape.name(mul(tape, states, linear));
      }
      states = tape.rename(states, dropout(tape, states, rate));
      states = tape.rename(states, to(tape, states, dtype));
      return down(tape, states);
    });
}

/** T5Config: `gated-gelu` means the former gelu. */
function activationOf(name: string | null): string | null {
  return name === 'gated-gelu' ? 'gelu_new' : (name?.replace(/^gated-/, '') ?? null);
}

/** A layer of a stack, and its shared attention state. */
export type T5Block = (tape: Tape, x: Tensor, contexts: T5Contexts) => Tensor;

export interface T5Contexts {
  readonly self: T5Context;
  /** Cross-attention to the encoder's output; null in the encoder. */
  readonly cross: T5Context | null;
  readonly dropout: number;
}

/** A sublayer: norm, attention, dropout, residual. */
type Sublayer = (tape: Tape, x: Tensor, context: T5Context, rate: number) => Attended;

function sublayer(norm: Step, attention: T5Attention): Sublayer {
  return (tape, x, context, rate) =>
    tape.call([x], () => {
      const normed = tape.name(norm(tape, x));
      const [mixed, ...others] = attention(tape, normed, context);
      const attended = tape.name(mixed);
      for (const other of others) tape.name(other);
      const sum = add(tape, x, dropout(tape, attended, rate));
      return [tape.rename(attended, sum), ...others] as const;
    });
}

/** The parameters of a T5Block: attention, cross-attention in a decoder, MLP. */
export function buildT5Block(
  builder: Builder,
  run: MemoryRun,
  {
    isFirst,
    isDecoder,
    rate,
  }: { readonly isFirst: boolean; readonly isDecoder: boolean; readonly rate: number },
): T5Block {
  const { model } = run;
  const attention = buildT5Attention(builder, model, bucketsOf(model), isFirst);
  const self = sublayer(buildT5Norm(builder, model.hiddenSize), attention);
  const cross = isDecoder ? crossLayer(builder, model, isFirst) : null;
  const mlp = buildMlp(builder, run, rate);
  const norm = buildT5Norm(builder, model.hiddenSize);
  return (tape, x, contexts) =>
    tape.call([x], () => {
      const [attended, bias, ...weights] = self(tape, x, contexts.self, contexts.dropout);
      let states = clamped(tape, tape.rename(x, attended));
      for (const other of [bias, ...weights]) tape.name(other);
      if (cross && contexts.cross) {
        const [read, zeros, ...crossWeights] = cross(tape, states, contexts.cross, contexts.dropout);
        states = tape.rename(states, read);
        tape.name(zeros);
        // The weights of both attentions have the same name.
        weights.forEach((kept, i) => tape.rename(kept, crossWeights[i] ?? kept));
        states = clamped(tape, states);
      }
      states = tape.rename(states, feedForward(tape, states, { norm, mlp, rate: contexts.dropout }));
      return clamped(tape, states);
    });
}

const bucketsOf = ({ extra }: ModelFacts): number => Number(extra['relative_attention_buckets'] ?? 0);

function crossLayer(builder: Builder, model: ModelFacts, isFirst: boolean): Sublayer {
  const attention = buildT5Attention(builder, model, 0, isFirst);
  return sublayer(buildT5Norm(builder, model.hiddenSize), attention);
}

function feedForward(
  tape: Tape,
  x: Tensor,
  { norm, mlp, rate }: { readonly norm: Step; readonly mlp: Step; readonly rate: number },
): Tensor {
  return tape.call([x], () => {
    const normed = tape.name(norm(tape, x));
    const forwarded = tape.rename(normed, mlp(tape, normed));
    return add(tape, x, dropout(tape, forwarded, rate));
  });
}

/** Clamps fp16 hidden states to the range of fp16. */
function clamped(tape: Tape, x: Tensor): Tensor {
  if (x.dtype !== 'fp16') return x;
  const infinite = tape.empty(x.elements, 'bool');
  const any = tape.done(tape.empty(1, 'bool'), infinite);
  const bounds = [tape.empty(1, 'fp32'), tape.empty(1, 'fp32')];
  const limit = tape.name(tape.done(tape.empty(1, 'fp32'), ...bounds, any));
  return tape.rename(x, clampTo(tape, x, limit));
}
