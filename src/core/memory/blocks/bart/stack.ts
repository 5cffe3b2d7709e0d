import { plainAttention } from '../attend';
import type { Builder, Repeated, Step } from '../../modules';
import { add, dropout } from '../../ops/pointwise';
import type { MemoryRun } from '../../run';
import type { Tape } from '../../tape';
import type { Tensor } from '../../tensor';
import { checkpoint } from '../../transforms/checkpoint';
import { attentionMask } from '../mask';
import { buildLayerNorm } from '../norm';
import type { BartContext } from './attention';
import { buildBartLayer } from './layer';
import type { BartContexts, BartLayer, BartRates, LayerDesign } from './layer';

/** Differences between members of the family, per stack. */
export interface StackDesign extends LayerDesign {
  /** A norm over words and positions. */
  readonly embedNorm: boolean;
  /** A norm over the last layer's output. */
  readonly finalNorm: boolean;
}

/** The parameters of a stack after its word and position tables. */
export interface BartStack {
  readonly layers: readonly Repeated<BartLayer>[];
  readonly embedNorm: Step | null;
  readonly finalNorm: Step | null;
  readonly isDecoder: boolean;
  readonly rates: BartRates;
}

/**
 * The last layer is separate: it is the first in backward, and begins the gradient of the encoder's output, which
 * all layers share.
 */
export function buildBartStack(
  builder: Builder,
  { model }: MemoryRun,
  design: StackDesign,
  {
    count,
    isDecoder,
    rates,
  }: { readonly count: number; readonly isDecoder: boolean; readonly rates: BartRates },
): BartStack {
  const make = (): BartLayer => builder.layer(() => buildBartLayer(builder, model, design, isDecoder));
  const layers = [
    ...builder.repeat(Math.max(count - 1, 1), make),
    ...(count > 1 ? builder.repeat(1, make) : []),
  ];
  const norm = (has: boolean): Step | null => (has ? buildLayerNorm(builder, model.hiddenSize) : null);
  return { layers, embedNorm: norm(design.embedNorm), finalNorm: norm(design.finalNorm), isDecoder, rates };
}

/** The inputs of a stack. Words and positions have separate names. */
interface StackInputs {
  embed(tape: Tape): Tensor;
  places(tape: Tape): Tensor;
  readonly tokens: number;
  readonly padding: Tensor | null;
  /** The decoder does not create a mask of ones. */
  readonly maskless?: boolean;
  /** The encoder's output, its length, and the padding of its input; null in the encoder. */
  readonly encoded: {
    readonly hidden: Tensor;
    readonly tokens: number;
    readonly padding: Tensor | null;
  } | null;
}

/** BartEncoder.forward, BartDecoder.forward. */
export function runBartStack(tape: Tape, run: MemoryRun, stack: BartStack, inputs: StackInputs): Tensor {
  const { layers, embedNorm, finalNorm, isDecoder, rates } = stack;
  const { encoded, padding, tokens, maskless } = inputs;
  return tape.call([], () => {
    const embedded = tape.name(inputs.embed(tape));
    const entered = (): Tensor => {
      const places = tape.name(inputs.places(tape));
      let states = tape.name(add(tape, embedded, places));
      if (embedNorm) states = tape.rename(states, embedNorm(tape, states));
      return tape.rename(states, dropout(tape, states, rates.hidden));
    };
    // The encoder creates its mask last, the decoder first.
    const early = isDecoder ? null : entered();
    const self = contextOf(tape, run, {
      embedded,
      padding,
      queries: tokens,
      keys: tokens,
      isDecoder,
      maskless,
      source: null,
      rates,
    });
    const cross =
      encoded &&
      contextOf(tape, run, {
        embedded,
        padding: encoded.padding,
        queries: tokens,
        keys: encoded.tokens,
        isDecoder,
        source: encoded.hidden,
        rates,
      });
    const contexts = { self, cross, rates };
    const shared = encoded ? [encoded.hidden] : [];
    let hidden = early ?? entered();
    for (const { part, times } of layers) {
      hidden = tape.repeat(times, hidden, [x => step(tape, x, run, part, contexts)], shared);
    }
    return finalNorm ? tape.rename(hidden, finalNorm(tape, hidden)) : hidden;
  });
}

/** A layer's pass, checkpointed if the run is. */
export function step(
  tape: Tape,
  x: Tensor,
  { recompute: { checkpointing: kind } }: MemoryRun,
  part: BartLayer,
  contexts: BartContexts,
): Tensor {
  const body = (input: Tensor): Tensor => part(tape, input, contexts);
  const { self, cross } = contexts;
  return checkpoint(tape, x, {
    kind,
    captured: [self.mask, cross?.mask ?? null, cross?.source ?? null],
    body,
  });
}

interface Attending {
  readonly embedded: Tensor;
  readonly padding: Tensor | null;
  readonly queries: number;
  readonly keys: number;
  readonly isDecoder: boolean;
  readonly maskless?: boolean | undefined;
  readonly source: Tensor | null;
  readonly rates: BartRates;
}

/** The attention settings of a pass; the mask is named in the running function. */
export function contextOf(tape: Tape, run: MemoryRun, attending: Attending): BartContext {
  const { embedded, padding, queries, keys, isDecoder, maskless, source, rates } = attending;
  const { behavior, task } = run;
  const { attention } = run.kernels;
  const causal = isDecoder && source === null;
  // A decoder's mask of ones is inspected and omitted, except in simulation, where values cannot be inspected.
  const always = causal && maskless !== true && behavior.madeOfConfig;
  const shape = { batch: run.batch.rows, tokens: queries, keys, causal, window: null, always };
  const eager = attention === 'eager' ? embedded.dtype : null;
  const mask = attention === 'flash' ? null : attentionMask(tape, shape, causal ? null : padding, eager);
  return {
    ...plainAttention(run, queries, keys),
    mask: mask && tape.name(mask),
    cache: isDecoder && task !== 'train' && run.generation.useCache,
    dropout: rates.attention,
    source,
  };
}
