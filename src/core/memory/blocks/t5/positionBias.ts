import { embedding } from '../../ops/select';
import { where } from '../../ops/pointwise';
import { copy } from '../../ops/shape';
import type { Tape } from '../../tape';
import type { Element, Parameter, Tensor } from '../../tensor';
import type { AttendContext } from '../attend';

/** T5Attention.compute_bias: a row of the table for each pair of positions, with one number per head. */
export function relativeBias(
  tape: Tape,
  table: Parameter,
  { queries, keys }: { readonly queries: number; readonly keys: number },
  bidirectional: boolean,
): Tensor {
  return tape.call([], () => {
    const range = tape.empty(queries, 'int64');
    const places = tape.name(tape.done(tape.empty(queries, 'int64'), range));
    const seen = tape.name(tape.empty(keys, 'int64'));
    const distances = tape.name(tape.empty(places.elements * seen.elements, 'int64'));
    const rows = tape.name(buckets(tape, distances, bidirectional));
    return embedding(tape, table, rows);
  });
}

/** _relative_position_bucket: near positions individually, far ones by logarithm. */
function buckets(tape: Tape, distances: Tensor, bidirectional: boolean): Tensor {
  const make = (dtype: Element): Tensor => tape.empty(distances.elements, dtype);
  const next = (x: Tensor, dtype: Element): Tensor => tape.done(make(dtype), x);
  return tape.call([distances], () => {
    const signs = bidirectional ? tape.name(next(next(next(make('bool'), 'int64'), 'int64'), 'int64')) : null;
    tape.name(bidirectional ? make('int64') : next(tape.done(make('int64'), make('int64')), 'int64'));
    tape.name(make('bool'));
    const logarithms = next(next(next(next(make('fp32'), 'fp32'), 'fp32'), 'fp32'), 'fp32');
    const far = next(next(logarithms, 'int64'), 'int64');
    tape.name(tape.done(make('int64'), make('int64'), far));
    const chosen = make('int64');
    if (signs === null) return tape.done(make('int64'), chosen);
    tape.spend(chosen);
    return signs;
  });
}

/** How a bias becomes SDPA's additive mask. */
interface BiasMask {
  readonly context: AttendContext;
  /** Tokens only see earlier ones, if no mask states it. */
  readonly causal: boolean;
  /** It comes from a table with heads as the last dimension: not contiguous. */
  readonly permuted: boolean;
}

/** create_position_bias_mask (transformers, integrations/sdpa_attention.py): computed in every layer. */
export function biasMask(tape: Tape, bias: Tensor, { context, causal, permuted }: BiasMask): Tensor {
  const { mask, shape } = context;
  const { batch, heads, queries, keys } = shape;
  const size = heads * queries * keys;
  return tape.call([bias], () => {
    let combined = tape.name(bias);
    if (mask) combined = tape.rename(combined, where(tape, mask, combined, batch * size));
    else if (causal) {
      const allowed = tape.name(causalMask(tape, queries, keys));
      combined = tape.rename(combined, where(tape, allowed, combined, size));
    }
    return permuted ? copy(tape, combined) : combined;
  });
}

/** `arange(queries) >= arange(keys)` */
function causalMask(tape: Tape, queries: number, keys: number): Tensor {
  const ranges = [tape.empty(queries, 'int64'), tape.empty(keys, 'int64')];
  return tape.done(tape.empty(queries * keys, 'bool'), ...ranges);
}
