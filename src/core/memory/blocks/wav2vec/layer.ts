import type { ModelFacts } from '../../../models/model';
import type { Builder, Step } from '../../modules';
import { add, dropout } from '../../ops/pointwise';
import type { Tape } from '../../tape';
import type { Tensor } from '../../tensor';
import { activationNamed } from '../activation';
import { buildBartAttention } from '../bart/attention';
import type { BartContexts, BartLayer, BartRates } from '../bart/layer';
import { buildLayerNorm } from '../norm';

/** Wav2Vec2FeedForward */
function buildFeedForward(
  builder: Builder,
  { hiddenSize: hidden, intermediateSize: inner, activation }: ModelFacts,
): (tape: Tape, x: Tensor, rates: BartRates) => Tensor {
  const up = builder.linear({ name: 'intermediate_dense', inputs: hidden, outputs: inner, bias: true });
  const down = builder.linear({ name: 'output_dense', inputs: inner, outputs: hidden, bias: true });
  const act = activationNamed(activation);
  return (tape, x, rates) =>
    tape.call([x], () => {
      const steps: Step[] = [
        act,
        (_, states) => dropout(tape, states, rates.activation),
        down,
        (_, states) => dropout(tape, states, rates.hidden),
      ];
      return tape.through(
        tape.name(up(tape, x)),
        steps.map(step => states => step(tape, states)),
      );
    });
}

/** Wav2Vec2EncoderLayer, or Wav2Vec2EncoderLayerStableLayerNorm with norms first. */
export function buildWav2VecLayer(builder: Builder, model: ModelFacts, isStable: boolean): BartLayer {
  const attention = buildBartAttention(builder, model);
  const norm = buildLayerNorm(builder, model.hiddenSize);
  const feedForward = buildFeedForward(builder, model);
  const finalNorm = buildLayerNorm(builder, model.hiddenSize);
  return (tape, x, { self, rates }: BartContexts) =>
    tape.call([x], () => {
      const normed = isStable ? tape.name(norm(tape, x)) : null;
      const [mixed = x, ...weights] = attention(tape, normed ?? x, self);
      let states = normed ? tape.rename(normed, mixed) : tape.name(mixed);
      for (const kept of weights) tape.name(kept);
      states = tape.rename(states, dropout(tape, states, rates.hidden));
      states = tape.rename(states, add(tape, x, states));
      if (isStable) {
        return add(tape, states, feedForward(tape, finalNorm(tape, states), rates));
      }
      states = tape.rename(states, norm(tape, states));
      states = tape.rename(states, add(tape, states, feedForward(tape, states, rates)));
      return finalNorm(tape, states);
    });
}
