import type { Builder, Step } from '../../../modules';
import { activation, add, mul, shift, tanh } from '../../../ops/pointwise';
import { split } from '../../../ops/shape';
import type { Tape } from '../../../tape';
import type { Tensor } from '../../../tensor';
import { buildSelfAttention } from './attention';
import type { AttentionCall, AttentionDesign } from './attention';
import type { Streams } from './chain';
import { rmsNorm } from '../layers';

/** A block whose attention and MLP each are between two norms (Lumina 2, Z-Image). */
export interface SandwichDesign {
  readonly attention: AttentionDesign;
  readonly mlp: (builder: Builder) => Step;
  /** Factors and gates from the time step; null: not used. `activated`: with an activation before. */
  readonly time: { readonly size: number; readonly activated: boolean } | null;
}

export interface SandwichCall extends AttentionCall {
  readonly time: Tensor;
}

export type SandwichBlock = (tape: Tape, streams: Streams, call: SandwichCall) => Streams;

const VECTORS = 4;

/** Lumina2TransformerBlock, ZImageTransformerBlock (diffusers, models/transformers). */
export function buildSandwichBlock(
  builder: Builder,
  { attention, mlp, time }: SandwichDesign,
): SandwichBlock {
  const { width } = attention;
  const attend = buildSelfAttention(builder, attention);
  const feed = mlp(builder);
  const [first, afterLook, second, afterFeed] = [0, 1, 2, 3].map(() => rmsNorm(builder, width));
  const shape = { name: 'adaLN_modulation.0', inputs: time?.size ?? 0, outputs: VECTORS * width, bias: true };
  const vectors = time ? builder.linear(shape) : null;
  const through = (tape: Tape, x: Tensor, step: Step | undefined): Tensor => (step ? step(tape, x) : x);
  return (tape, [x], call) => {
    if (!x) return [];
    return tape.call([x], () => {
      const made = vectors ? vectors(tape, time?.activated ? activation(tape, call.time) : call.time) : null;
      const [factor, gate, mlpFactor, mlpGate] = made ? parts(tape, made) : [];
      const scaled = (states: Tensor, by: Tensor | undefined): Tensor =>
        by ? mul(tape, states, shift(tape, by)) : states;
      const joined = (to: Tensor, change: Tensor, by: Tensor | undefined): Tensor =>
        add(tape, to, by ? mul(tape, tanh(tape, by), change) : change);
      const normed = tape.name(scaled(through(tape, x, first), factor));
      const seen = tape.name(attend(tape, normed, call));
      const states = tape.name(joined(x, through(tape, seen, afterLook), gate));
      const fed = tape.name(feed(tape, scaled(through(tape, states, second), mlpFactor)));
      return [joined(states, through(tape, fed, afterFeed), mlpGate)];
    });
  };
}

function parts(tape: Tape, vectors: Tensor): readonly Tensor[] {
  const sizes = Array.from({ length: VECTORS }, () => vectors.elements / VECTORS);
  return split(tape, vectors, sizes).map(one => tape.name(one));
}

interface GatedShape {
  readonly width: number;
  readonly inner: number;
  /** Names of the gate, the values, and the layer after their product. */
  readonly names: readonly [string, string, string];
  /** The activation is computed in fp32 (FP32SiLU). */
  readonly activate: (tape: Tape, x: Tensor) => Tensor;
}

/** `down(activate(gate(x)) * up(x))` */
export function buildGatedMlp(builder: Builder, { width, inner, names, activate }: GatedShape): Step {
  const make = (name: string, inputs: number, outputs: number) =>
    builder.linear({ name, inputs, outputs, bias: false });
  const gate = make(names[0], width, inner);
  const up = make(names[1], width, inner);
  const down = make(names[2], inner, width);
  return (tape, x) =>
    tape.call([x], () => {
      const opened = activate(tape, gate(tape, x));
      tape.name(opened);
      return down(tape, mul(tape, opened, up(tape, x)));
    });
}
