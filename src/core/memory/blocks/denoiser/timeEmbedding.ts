import type { Builder, Step } from '../../modules';
import { to } from '../../ops/cast';
import { activation } from '../../ops/pointwise';
import type { Tape } from '../../tape';
import type { Element, Tensor } from '../../tensor';

/** What a time step, one a row, becomes. */
export type EmbedTime = (tape: Tape, rows: number, dtype: Element) => Tensor;

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
export function buildTimeEmbedding(builder: Builder, waves: number, size: number, bias = true): EmbedTime {
  const linear = (name: string, inputs: number) =>
    builder.linear({ name: `time_embedding.${name}`, inputs, outputs: size, bias });
  const [first, second] = [linear('linear_1', waves), linear('linear_2', size)];
  return (tape, rows, dtype) =>
    tape.call([], () => {
      const sines = tape.name(to(tape, tape.empty(rows * waves, 'fp32'), dtype));
      return second(tape, activation(tape, first(tape, sines)));
    });
}
