import type { ModelFacts } from '../../../models/model';
import type { Builder, Linear } from '../../modules';
import type { Tape } from '../../tape';
import type { Tensor } from '../../tensor';
import { attend, gradientIsOrderly, viewAsHeads } from '../attend';
import type { AttendContext } from '../attend';

/** Values that the layers of a stack share in one forward pass, for one kind of attention. */
export interface BartContext extends AttendContext {
  /** The source of keys and values, if not the queries' input. */
  readonly source: Tensor | null;
}

/** BartAttention: its output, and its weights if they exist. */
export type BartAttention = (tape: Tape, x: Tensor, context: BartContext) => readonly Tensor[];

/** Creates the parameters of an attention. */
export type MakeBartAttention = (builder: Builder, model: ModelFacts) => BartAttention;

/** The parameters of a BartAttention. */
export function buildBartAttention(builder: Builder, { hiddenSize, heads }: ModelFacts): BartAttention {
  const make = (name: string): Linear =>
    builder.linear({ name, inputs: hiddenSize, outputs: hiddenSize, bias: true });
  const [toKey, toValue, toQuery] = [make('k_proj'), make('v_proj'), make('q_proj')];
  const output = make('out_proj');
  return (tape, x, context) =>
    tape.call([x], () => {
      const from = context.source ?? x;
      const orderly = gradientIsOrderly(tape, context, x.dtype);
      const seen = (project: Linear, of: Tensor): Tensor =>
        tape.name(viewAsHeads(tape, project(tape, of), heads, !orderly));
      const query = seen(toQuery, x);
      const [key, value] = cached(tape, [seen(toKey, from), seen(toValue, from)], context);
      const [mixed = query, ...weights] = attend(tape, { query, key, value }, context);
      for (const kept of weights) tape.name(kept);
      return [output(tape, tape.name(mixed)), ...weights];
    });
}

/** Keys and values from the cache, if there is one. */
export function cached(
  tape: Tape,
  [key, value]: readonly [Tensor, Tensor],
  { cache, shape }: AttendContext,
): readonly [Tensor, Tensor] {
  if (!cache) return [key, value];
  const withCache = (x: Tensor): Tensor =>
    tape.cache?.update(tape, { x, tokens: shape.keys, dtype: key.dtype, window: null }) ?? x;
  const both = [withCache(key), withCache(value)] as const;
  return [tape.rename(key, both[0]), tape.rename(value, both[1])];
}
