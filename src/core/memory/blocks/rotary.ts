import { fusedRotary } from '../ops/fused';
import { to } from '../ops/cast';
import { add, mul, scale } from '../ops/pointwise';
import { cat, slice } from '../ops/shape';
import type { Tape } from '../tape';
import type { Element, Tensor } from '../tensor';

export interface Rotation {
  readonly cos: Tensor;
  readonly sin: Tensor;
}

/** How queries and keys are rotated by their positions. */
export type Turn = (tape: Tape, query: Tensor, key: Tensor, rotation: Rotation) => readonly [Tensor, Tensor];

/** LlamaRotaryEmbedding: cosine and sine of every position and frequency, computed in fp32 (under no_grad). */
export function rotaryEmbedding(tape: Tape, positions: Tensor, size: number, dtype: Element): Rotation {
  const [cos, sin] = tape.call([positions], () => {
    const wide = to(tape, positions, 'fp32');
    const frequencies = tape.name(tape.done(tape.empty((positions.elements * size) / 2, 'fp32'), wide));
    const angles = tape.name(cat(tape, frequencies, frequencies));
    const cosine = tape.name(scale(tape, tape.like(angles)));
    const sine = tape.name(scale(tape, tape.like(angles)));
    return [to(tape, cosine, dtype), to(tape, sine, dtype)] as const;
  });
  return { cos, sin };
}

/** apply_rotary_pos_emb. */
export const turned: Turn = (tape, query, key, rotation) =>
  tape.call([query, key], () => {
    const first = tape.name(rotated(tape, query, rotation));
    return [first, rotated(tape, key, rotation)] as const;
  });

/** Each in fp32 and cast back, one after another (Qwen 1). */
export const turnedInFp32: Turn = (tape, query, key, rotation) => {
  const inFp32 = (x: Tensor): Tensor =>
    tape.call([x], () => {
      const wide = tape.name(to(tape, x, 'fp32'));
      return to(tape, rotated(tape, wide, rotation), x.dtype);
    });
  const first = inFp32(query);
  return [first, inFp32(key)];
};

/** Both in fp32, and cast back after both are rotated (ModernBERT). */
export const turnedWide: Turn = (tape, query, key, rotation) =>
  tape.call([query, key], () => {
    const wide = (x: Tensor): Tensor => {
      const direct = mul(tape, to(tape, x, 'fp32'), rotation.cos);
      return add(tape, direct, mul(tape, rotateHalf(tape, to(tape, x, 'fp32')), rotation.sin));
    };
    const turnedQuery = tape.name(wide(query));
    const turnedKey = tape.name(wide(key));
    return [to(tape, turnedQuery, query.dtype), to(tape, turnedKey, key.dtype)] as const;
  });

/** Both in fp32, and cast back after both are rotated (Cohere). */
export const bothTurnedInFp32: Turn = (tape, query, key, rotation) =>
  tape.call([query, key], () => {
    const [q, k] = [tape.name(to(tape, query, 'fp32')), tape.name(to(tape, key, 'fp32'))];
    const first = tape.name(rotated(tape, q, rotation));
    const second = tape.name(rotated(tape, k, rotation));
    const result = tape.name(to(tape, first, query.dtype));
    return [result, to(tape, second, key.dtype)] as const;
  });

/** A kernel that rotates both in place. */
export const turnedInPlace: Turn = (tape, query, key) => [fusedRotary(tape, query), fusedRotary(tape, key)];

/** Rotates part of each head, and concatenates it with the rest (Phi 3). */
export function partTurned(share: number): Turn {
  return (tape, query, key, rotation) =>
    tape.call([query, key], () => {
      const [q, restOfQuery] = parted(tape, query, share);
      const [k, restOfKey] = parted(tape, key, share);
      const first = tape.name(cat(tape, rotated(tape, q, rotation), restOfQuery));
      return [first, cat(tape, rotated(tape, k, rotation), restOfKey)] as const;
    });
}

/** The same, concatenating after both are rotated (GPT-NeoX). */
export function partsTurned(share: number): Turn {
  return (tape, query, key, rotation) =>
    tape.call([query, key], () => {
      const [q, restOfQuery] = parted(tape, query, share);
      const [k, restOfKey] = parted(tape, key, share);
      const turnedQuery = tape.name(rotated(tape, q, rotation));
      const turnedKey = tape.name(rotated(tape, k, rotation));
      const first = tape.rename(turnedQuery, cat(tape, turnedQuery, restOfQuery));
      return [first, tape.rename(turnedKey, cat(tape, turnedKey, restOfKey))] as const;
    });
}

/** The same inside the attention, whose names live until it returns (StableLM). */
export function partTurnedInline(share: number): Turn {
  return (tape, query, key, rotation) => {
    const [q, restOfQuery] = parted(tape, query, share);
    const [k, restOfKey] = parted(tape, key, share);
    const [turnedQuery, turnedKey] = turned(tape, q, k, rotation);
    const first = cat(tape, tape.rename(q, turnedQuery), restOfQuery);
    return [first, cat(tape, tape.rename(k, turnedKey), restOfKey)] as const;
  };
}

/** `x[..., :n]` and `x[..., n:]`; a slice of everything is the tensor itself. */
function parted(tape: Tape, x: Tensor, share: number): readonly [Tensor, Tensor] {
  const size = x.elements * share;
  const part = tape.name(share === 1 ? x : slice(tape, x, size));
  return [part, tape.name(slice(tape, x, x.elements - size))];
}

/** x · cos + rotate_half(x) · sin. */
function rotated(tape: Tape, x: Tensor, { cos, sin }: Rotation): Tensor {
  const direct = mul(tape, x, cos);
  return add(tape, direct, mul(tape, rotateHalf(tape, x), sin));
}

function rotateHalf(tape: Tape, x: Tensor): Tensor {
  return tape.call([x], () => {
    const first = tape.name(slice(tape, x, x.elements / 2));
    const second = tape.name(slice(tape, x, x.elements / 2));
    return cat(tape, scale(tape, second), first);
  });
}
