import type { Step } from '../modules';
import { add } from '../ops/pointwise';
import type { Tape } from '../tape';
import type { Tensor } from '../tensor';
import { selfAttention } from './attention';
import type { AttentionContext, AttentionParts } from './attention';

/** One layer's forward pass. */
export type Layer = (tape: Tape, x: Tensor, context: AttentionContext) => Tensor;

/** The parts of a layer with the MLP after the attention. */
interface SequentialParts {
  readonly attention: AttentionParts;
  readonly mlp: Step;
  /** Before attention and MLP. */
  readonly norms: readonly [Step, Step];
  /** Applied to the outputs of attention and MLP: a norm after each (Gemma). */
  readonly after?: readonly [Step, Step];
  /** Applied to what is added to the residual stream: scaling (Granite). */
  readonly change?: Step;
}

/** LlamaDecoderLayer: norm, attention, residual; norm, MLP, residual. */
export function sequentialLayer({ attention, mlp, norms, after, change }: SequentialParts): Layer {
  const [attentionNorm, mlpNorm] = norms;
  const changed = (tape: Tape, x: Tensor): Tensor => (change ? change(tape, x) : x);
  return (tape, x, context) =>
    tape.call([x], () => {
      let states = tape.name(attentionNorm(tape, x));
      const [mixed = states, ...weights] = selfAttention(tape, states, attention, context);
      states = tape.rename(states, mixed);
      for (const kept of weights) tape.name(kept);
      if (after) states = tape.rename(states, after[0](tape, states));
      const middle = tape.rename(states, add(tape, x, changed(tape, states)));
      states = tape.name(mlpNorm(tape, middle));
      states = tape.rename(states, mlp(tape, states));
      if (after) states = tape.rename(states, after[1](tape, states));
      return add(tape, middle, changed(tape, states));
    });
}

/** Norms after attention and MLP, and none before (OLMo 2). */
export function normedAfterLayer({ attention, mlp, norms }: NamedParts): Layer {
  const [attentionNorm, mlpNorm] = norms;
  return (tape, x, context) =>
    tape.call([x], () => {
      const [mixed = x, ...weights] = selfAttention(tape, x, attention, context);
      let states = tape.name(mixed);
      for (const kept of weights) tape.name(kept);
      states = tape.rename(states, attentionNorm(tape, states));
      const middle = tape.rename(states, add(tape, x, states));
      states = tape.name(mlp(tape, middle));
      states = tape.rename(states, mlpNorm(tape, states));
      return add(tape, middle, states);
    });
}

/** The parts of a layer whose attention output is named until the layer's end. */
type NamedParts = Omit<SequentialParts, 'after' | 'change'>;

/** GPT2Block: like Llama's, but the attention output lives to the end. */
export function keepingLayer({ attention, mlp, norms }: NamedParts): Layer {
  const [attentionNorm, mlpNorm] = norms;
  return (tape, x, context) =>
    tape.call([x], () => {
      let states = tape.name(attentionNorm(tape, x));
      const attended = attendedIn(tape, states, attention, context);
      const middle = tape.rename(states, add(tape, attended, x));
      states = tape.name(mlpNorm(tape, middle));
      const change = tape.name(mlp(tape, states));
      return add(tape, middle, change);
    });
}

/** The same, with an unnamed norm before the MLP (StableLM). */
export function inlineLayer({ attention, mlp, norms }: NamedParts): Layer {
  const [attentionNorm, mlpNorm] = norms;
  return (tape, x, context) =>
    tape.call([x], () => {
      const attended = attendedIn(tape, tape.name(attentionNorm(tape, x)), attention, context);
      const middle = tape.name(add(tape, x, attended));
      const change = tape.name(mlp(tape, mlpNorm(tape, middle)));
      return add(tape, middle, change);
    });
}

/** Attention and MLP in parallel over one norm (Phi, StableLM 2 12B). */
export function sharedNormLayer(norm: Step, { attention, mlp }: Omit<NamedParts, 'norms'>): Layer {
  return (tape, x, context) =>
    tape.call([x], () => {
      const states = tape.name(norm(tape, x));
      const attended = attendedIn(tape, states, attention, context);
      const change = tape.name(mlp(tape, states));
      return add(tape, add(tape, attended, change), x);
    });
}

/** The attention output, and its weights if they exist, are named in the running function. */
function attendedIn(tape: Tape, x: Tensor, parts: AttentionParts, context: AttentionContext): Tensor {
  const [attended = x, ...weights] = selfAttention(tape, x, parts, context);
  for (const kept of weights) tape.name(kept);
  return tape.name(attended);
}
