import { to } from '../ops/cast';
import type { Tape } from '../tape';
import { isHalf } from '../tensor';
import type { Element, Tensor } from '../tensor';

/** An argument of an operation that autocast runs in 16 bits (aten/src/ATen/autocast_mode.cpp, cached_cast). */
export function lower(tape: Tape, x: Tensor): Tensor {
  const { autocast } = tape;
  if (autocast === null || x.dtype === autocast.dtype || !isFloat(x.dtype)) return x;
  const known = autocast.casts.get(x);
  if (known) return known;
  const cast = to(tape, x, autocast.dtype);
  if (x.dtype === 'fp32' && x.node?.leaf) autocast.casts.set(x, tape.keep(cast));
  return cast;
}

/** An argument of an operation that autocast runs in 32 bits. */
export function widen(tape: Tape, x: Tensor): Tensor {
  return tape.autocast !== null && isHalf(x.dtype) ? to(tape, x, 'fp32') : x;
}

function isFloat(dtype: Element): boolean {
  return dtype === 'fp32' || dtype === 'bf16' || dtype === 'fp16';
}

/** Runs `body` under autocast; the cached casts are freed when the outermost region ends. */
export function autocast<R>(tape: Tape, dtype: Element | null, body: () => R): R {
  if (dtype === null) return body();
  const outer = tape.autocast;
  const region = outer ?? { dtype, casts: new Map<Tensor, Tensor>() };
  tape.autocast = region;
  const result = body();
  tape.autocast = outer;
  if (outer === null) for (const cast of region.casts.values()) tape.release(cast);
  return result;
}
