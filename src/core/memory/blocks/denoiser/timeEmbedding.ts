import type { Builder, Step } from '../../modules';
import { to } from '../../ops/cast';
import { activation, add, mul, shift } from '../../ops/pointwise';
import type { Tape } from '../../tape';
import type { Element, Tensor } from '../../tensor';
import { split } from '../../ops/shape';

/** The embedding of a time step, one per row. */
type EmbedTime = (tape: Tape, rows: number, dtype: Element) => Tensor;

/** TimestepEmbedding: two linear layers. */
export function buildConditionEmbedding(
  builder: Builder,
  { name, inputs, size, bias }: { readonly name: string; inputs: number; size: number; bias: boolean },
): Step {
  const linear = (part: string, from: number) =>
    builder.linear({ name: `${name}.${part}`, inputs: from, outputs: size, bias });
  const [first, second] = [linear('linear_1', inputs), linear('linear_2', size)];
  return (tape, x) => tape.call([x], () => second(tape, activation(tape, first(tape, x))));
}

/** Sines and cosines in fp32, then two linear layers (diffusers, models/embeddings.py, Timesteps, TimestepEmbedding). */
export function buildTimeEmbedding(
  builder: Builder,
  size: number,
  { waves = 256, bias = true }: { readonly waves?: number; readonly bias?: boolean } = {},
): EmbedTime {
  const linear = (name: string, inputs: number) =>
    builder.linear({ name: `time_embedding.${name}`, inputs, outputs: size, bias });
  const [first, second] = [linear('linear_1', waves), linear('linear_2', size)];
  return (tape, rows, dtype) =>
    tape.call([], () => {
      const sines = tape.name(to(tape, tape.empty(rows * waves, 'fp32'), dtype));
      return second(tape, activation(tape, first(tape, sines)));
    });
}

/** The vectors that one norm computes from the time embedding: several vectors of `size` per row. */
type Modulations = (tape: Tape, time: Tensor) => readonly Tensor[];

/** `linear(silu(temb)).chunk(count)` */
export function buildModulations(
  builder: Builder,
  name: string,
  sizes: { readonly from: number; readonly size: number; readonly count: number; readonly bias?: boolean },
): Modulations {
  const { from, size, count, bias = true } = sizes;
  const linear = builder.linear({ name, inputs: from, outputs: count * size, bias });
  return (tape, time) => {
    const all = linear(tape, activation(tape, time));
    return split(
      tape,
      all,
      Array.from({ length: count }, () => all.elements / count),
    );
  };
}

/** `x * (1 + scale) + shift` */
export function modulate(tape: Tape, x: Tensor, factor: Tensor, offset: Tensor): Tensor {
  return add(tape, mul(tape, x, shift(tape, factor)), offset);
}
