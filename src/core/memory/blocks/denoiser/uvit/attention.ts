import type { Builder, Linear } from '../../../modules';
import { sdpa } from '../../../ops/attention';
import { scale } from '../../../ops/pointwise';
import type { MemoryRun } from '../../../run';
import type { Tape } from '../../../tape';
import type { Tensor } from '../../../tensor';

/** Attention of `x` to `seen`: self- or cross-attention. */
type Attend = (tape: Tape, x: Tensor, seen: Tensor) => Tensor;

interface AttentionSizes {
  readonly width: number;
  readonly heads: number;
  /** Size of an attended state. */
  readonly seen: number;
}

/** Attention without biases (diffusers, attention_processor.py, AttnProcessor2_0). */
export function buildAttention(
  builder: Builder,
  { batch: { rows: batch }, kernels: { hasFlash } }: MemoryRun,
  { width, heads, seen }: AttentionSizes,
): Attend {
  const make = (name: string, inputs: number): Linear =>
    builder.linear({ name, inputs, outputs: width, bias: false });
  const toQuery = make('to_q', width);
  const [toKey, toValue, toOut] = [make('to_k', seen), make('to_v', seen), make('to_out.0', width)];
  return (tape, x, source) =>
    tape.call([x, source], () => {
      const queries = x.elements / (batch * width);
      const keys = source.elements / (batch * seen);
      const shape = { batch, heads, kvHeads: heads, headDim: width / heads, queries, keys, hasFlash };
      const query = tape.name(toQuery(tape, x));
      const key = tape.name(toKey(tape, source));
      const value = tape.name(toValue(tape, source));
      const states = tape.name(sdpa(tape, { query, key, value }, shape, null));
      return scale(tape, tape.rename(states, toOut(tape, states)));
    });
}
