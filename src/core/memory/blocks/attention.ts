import type { Kernels } from '../behaviours';
import type { Linear } from '../modules';
import { fusedRotary } from '../ops/fused';
import type { Tape } from '../tape';
import type { Element, Tensor } from '../tensor';
import { KV_CACHE } from '../terms';
import { attend, gradientIsOrderly, inHeads } from './attend';
import type { AttendContext } from './attend';
import { rotated } from './rotary';
import type { Rotation } from './rotary';

export interface AttentionModules {
  /** Query, key, value. */
  readonly inputs: readonly Linear[];
  readonly output: readonly Linear[];
}

/** What all layers of one forward pass share. */
export interface AttentionContext extends AttendContext {
  readonly rotation: Rotation;
  readonly kernels: Kernels;
  readonly scaledResiduals: boolean;
}

/** LlamaAttention: projections, rotation, attention, output. Returns the weights too where they exist. */
export function selfAttention(
  tape: Tape,
  x: Tensor,
  modules: AttentionModules,
  context: AttentionContext,
): readonly Tensor[] {
  const { shape, cache } = context;
  const [toQuery, toKey, toValue] = modules.inputs;
  const [output] = modules.output;
  if (!toQuery || !toKey || !toValue || !output) return [x];
  return tape.call([x], () => {
    const query = tape.name(inHeads(tape, toQuery(tape, x), shape.heads, true));
    const key = tape.name(inHeads(tape, toKey(tape, x), shape.kvHeads, true));
    const orderly = gradientIsOrderly(tape, context, x.dtype);
    let value = tape.name(inHeads(tape, toValue(tape, x), shape.kvHeads, !orderly));
    const [q, k] = turn(tape, query, key, context);
    tape.rename(query, q);
    let keys = tape.rename(key, k);
    if (cache) {
      const both = [cached(tape, keys, keys.dtype), cached(tape, value, keys.dtype)] as const;
      keys = tape.rename(keys, both[0]);
      value = tape.rename(value, both[1]);
    }
    const [mixed = q, ...weights] = attend(tape, { query: q, key: keys, value }, context);
    for (const kept of weights) tape.name(kept);
    const merged = tape.name(mixed);
    return [output(tape, merged), ...weights];
  });
}

/** apply_rotary_pos_emb, or a kernel that turns both in place. */
function turn(
  tape: Tape,
  query: Tensor,
  key: Tensor,
  { rotation, kernels }: AttentionContext,
): readonly [Tensor, Tensor] {
  if (kernels.rotary) return [fusedRotary(tape, query), fusedRotary(tape, key)];
  return tape.call([query, key], () => {
    const turned = tape.name(rotated(tape, query, rotation));
    return [turned, rotated(tape, key, rotation)] as const;
  });
}

/** DynamicCache.update: a copy that outlives the forward pass, in the dtype of the first key. */
function cached(tape: Tape, x: Tensor, dtype: Element): Tensor {
  return tape.keep(tape.during(KV_CACHE, () => tape.empty(x.elements, dtype)));
}
