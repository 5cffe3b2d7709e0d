import type { Step } from '../modules';
import type { ByHead, Heads } from '../ops/attention';
import type { Tape } from '../tape';
import type { Element, Tensor } from '../tensor';
import { KV_CACHE } from '../terms';
import { attend } from './attend';
import type { AttendContext } from './attend';
import type { LayerKind } from './layerKinds';
import type { Rotation, Turn } from './rotary';

/** Shared by all layers of one forward pass. */
export interface AttentionContext extends AttendContext {
  readonly layers: LayerKind;
  /** Its tokens have a window, which is also the cache's size. */
  readonly windowed: boolean;
  /** Tokens that a layer sees before each token, and that its cache keeps; null: all. */
  readonly window: number | null;
  /** The cache is empty. */
  readonly begins: boolean;
  /** Null: positions are not rotated. */
  readonly rotation: Rotation | null;
}

/**
 * Queries, keys and values of x, viewed as heads. They and the tensors they are views of are named in the running
 * function.
 */
export type Project = (tape: Tape, x: Tensor, context: AttentionContext) => Heads;

export interface AttentionParts {
  readonly project: Project;
  readonly turn: Turn;
  readonly byHead?: ByHead;
  readonly output: Step;
}

/**
 * LlamaAttention and similar: projections, rotation, attention, output. Returns the weights, too, if they exist.
 */
export function selfAttention(
  tape: Tape,
  x: Tensor,
  { project, turn, output, byHead = 'none' }: AttentionParts,
  context: AttentionContext,
): readonly Tensor[] {
  return tape.call([x], () => {
    let { query, key, value } = project(tape, x, context);
    if (context.rotation) {
      const [q, k] = turn(tape, query, key, context.rotation);
      query = tape.rename(query, q);
      key = tape.rename(key, k);
    }
    if (context.cache) {
      if (context.windowed && context.begins) tape.keep(tape.during(KV_CACHE, () => tape.empty(1, 'int64')));
      const both = [cached(tape, key, key.dtype, context), cached(tape, value, key.dtype, context)] as const;
      key = tape.rename(key, both[0]);
      value = tape.rename(value, both[1]);
    }
    const [mixed = query, ...weights] = attend(tape, { query, key, value, byHead }, context);
    for (const kept of weights) tape.name(kept);
    const merged = tape.name(mixed);
    return [output(tape, merged), ...weights];
  });
}

/** The keys or values that attention sees: all cached so far, in the dtype of the first key. */
export function cached(tape: Tape, x: Tensor, dtype: Element, { shape, window }: AttentionContext): Tensor {
  return tape.cache?.update(tape, { x, tokens: shape.queries, dtype, window }) ?? x;
}
