import type { ModelFacts } from '../../../models/model';
import type { Builder, Step } from '../../modules';
import { add, dropout } from '../../ops/pointwise';
import type { Tape } from '../../tape';
import type { Tensor } from '../../tensor';
import { activationNamed } from '../activation';
import { buildLayerNorm } from '../norm';
import { buildBartAttention } from './attention';
import type { BartAttention, BartContext, MakeBartAttention } from './attention';

/** Differences between members of the family, per layer. */
export interface LayerDesign {
  /** Norms come before their sublayer (mBART, Pegasus, Whisper), or after the residual (BART). */
  readonly norms: 'before' | 'after';
  /** Creates attention, if it differs from BART's (Whisper). */
  readonly attention?: MakeBartAttention;
}

/** Dropout probabilities; 0 without training. */
export interface BartRates {
  readonly hidden: number;
  readonly attention: number;
  readonly activation: number;
}

export interface BartContexts {
  readonly self: BartContext;
  /** Cross-attention to the encoder's output; null in the encoder. */
  readonly cross: BartContext | null;
  readonly rates: BartRates;
}

/** A layer of a stack. */
export type BartLayer = (tape: Tape, x: Tensor, contexts: BartContexts) => Tensor;

interface Sublayer {
  readonly attention: BartAttention;
  readonly norm: Step;
}

/** BartEncoderLayer, BartDecoderLayer. */
export function buildBartLayer(
  builder: Builder,
  model: ModelFacts,
  { norms, attention = buildBartAttention }: LayerDesign,
  isDecoder: boolean,
): BartLayer {
  const { hiddenSize: hidden, intermediateSize: inner } = model;
  const sublayer = (): Sublayer => ({
    attention: attention(builder, model),
    norm: buildLayerNorm(builder, hidden),
  });
  const self = sublayer();
  const cross = isDecoder ? sublayer() : null;
  const up = builder.linear({ name: 'fc1', inputs: hidden, outputs: inner, bias: true });
  const down = builder.linear({ name: 'fc2', inputs: inner, outputs: hidden, bias: true });
  const norm = buildLayerNorm(builder, hidden);
  const act = activationNamed(model.activation);
  const isBefore = norms === 'before';
  return (tape, x, contexts) =>
    tape.call([x], () => {
      const { rates } = contexts;
      const drop = (states: Tensor, rate: number): Tensor => tape.rename(states, dropout(tape, states, rate));
      const [first, ...weights] = attended(tape, x, self, contexts.self, { isBefore, rates });
      let states = first;
      if (cross && contexts.cross) {
        const residual = states;
        const [read, ...others] = attended(tape, residual, cross, contexts.cross, { isBefore, rates });
        // The weights of both attentions have the same name.
        weights.forEach((kept, i) => tape.rename(kept, others[i] ?? kept));
        tape.drop(residual);
        states = read;
      }
      const residual = states;
      states = isBefore
        ? tape.name(norm(tape, residual))
        : tape.name(tape.view(residual, residual.elements, residual.node));
      states = tape.rename(states, act(tape, up(tape, states)));
      states = drop(states, rates.activation);
      states = tape.rename(states, down(tape, states));
      states = drop(states, rates.hidden);
      states = tape.rename(states, add(tape, residual, states));
      return isBefore ? states : tape.rename(states, norm(tape, states));
    });
}

/** Attention, dropout, residual and its norm, before or after; the output is named, and so are weights. */
function attended(
  tape: Tape,
  x: Tensor,
  { attention, norm }: Sublayer,
  context: BartContext,
  { isBefore, rates }: { readonly isBefore: boolean; readonly rates: BartRates },
): [Tensor, ...Tensor[]] {
  const normed = isBefore ? tape.name(norm(tape, x)) : null;
  const [mixed = x, ...weights] = attention(tape, normed ?? x, context);
  let states = normed ? tape.rename(normed, mixed) : tape.name(mixed);
  for (const kept of weights) tape.name(kept);
  states = tape.rename(states, dropout(tape, states, rates.hidden));
  states = tape.rename(states, add(tape, x, states));
  return [isBefore ? states : tape.rename(states, norm(tape, states)), ...weights];
}
