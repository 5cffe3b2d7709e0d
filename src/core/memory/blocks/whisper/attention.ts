import type { ModelFacts } from '../../../models/model';
import type { Builder, Linear } from '../../modules';
import { scale } from '../../ops/pointwise';
import { copy } from '../../ops/shape';
import type { Tensor } from '../../tensor';
import { attend, inHeads } from '../attend';
import { cached } from '../bart/attention';
import type { BartAttention } from '../bart/attention';

/** WhisperAttention: queries are scaled by themselves, all three are put in order, and keys have no bias. */
export function buildWhisperAttention(builder: Builder, { hiddenSize, heads }: ModelFacts): BartAttention {
  const make = (name: string, bias = true): Linear =>
    builder.linear({ name, inputs: hiddenSize, outputs: hiddenSize, bias });
  const [toKey, toValue, toQuery, output] = [
    make('k_proj', false),
    make('v_proj'),
    make('q_proj'),
    make('out_proj'),
  ];
  return (tape, x, context) =>
    tape.call([x], () => {
      const from = context.source ?? x;
      const ordered = (states: Tensor): Tensor => tape.name(copy(tape, inHeads(tape, states, heads, true)));
      const query = ordered(scale(tape, toQuery(tape, x)));
      const [key, value] = cached(tape, [ordered(toKey(tape, from)), ordered(toValue(tape, from))], context);
      const [mixed = query, ...weights] = attend(tape, { query, key, value, byHead: 'all' }, context);
      for (const kept of weights) tape.name(kept);
      return [output(tape, tape.name(mixed)), ...weights];
    });
}
