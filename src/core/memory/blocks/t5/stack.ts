import { plainAttention } from '../attend';
import type { Builder, Repeated, Step } from '../../modules';
import { dropout } from '../../ops/pointwise';
import type { MemoryRun } from '../../run';
import type { Tape } from '../../tape';
import type { Parameter, Tensor } from '../../tensor';
import { checkpoint } from '../../transforms/checkpoint';
import { lookedUp } from '../encoderEmbeddings';
import { attentionMask } from '../mask';
import { SharedBias } from './attention';
import type { T5Context } from './attention';
import { buildT5Block, buildT5Norm } from './block';
import type { T5Block, T5Contexts } from './block';

/** The parameters of a T5Stack. */
interface T5Stack {
  readonly layers: readonly Repeated<T5Block>[];
  readonly norm: Step;
  readonly isDecoder: boolean;
  readonly rate: number;
}

/**
 * The last layer is separate: it is the first in backward, and begins the gradients of the tensors that all layers
 * share, the bias and the encoder's output.
 */
export function buildT5Stack(
  builder: Builder,
  run: MemoryRun,
  { count, isDecoder, rate }: { readonly count: number; readonly isDecoder: boolean; readonly rate: number },
): T5Stack {
  let isFirst = true;
  const make = (): T5Block => {
    const options = { isFirst, isDecoder, rate };
    isFirst = false;
    return builder.layer(() => buildT5Block(builder, run, options));
  };
  const layers = [
    ...builder.repeat(Math.max(count - 1, 1), make),
    ...(count > 1 ? builder.repeat(1, make) : []),
  ];
  return { layers, norm: buildT5Norm(builder, run.model.hiddenSize), isDecoder, rate };
}

/** The inputs of a stack. */
interface StackInputs {
  readonly words: Parameter;
  readonly ids: Tensor;
  readonly padding: Tensor | null;
  /** The encoder's output, and the padding of its input; null in the encoder. */
  readonly encoded: { readonly hidden: Tensor; readonly padding: Tensor | null } | null;
}

/** T5Stack.forward. */
export function runT5Stack(
  tape: Tape,
  run: MemoryRun,
  { layers, norm, isDecoder, rate }: T5Stack,
  { words, ids, padding, encoded }: StackInputs,
): Tensor {
  return tape.call([ids], () => {
    const embedded = lookedUp(tape, words, ids, run);
    const biases = [new SharedBias(), new SharedBias()] as const;
    const self = selfContext(tape, run, { embedded, padding, isDecoder, biases: biases[0] });
    const cross = encoded && crossContext(tape, run, { embedded, ...encoded, biases: biases[1] });
    const contexts: T5Contexts = { self, cross, dropout: rate };
    let hidden = tape.name(dropout(tape, embedded, rate));
    for (const { part, times } of layers) {
      const shared = [...biases.map(({ tensor }) => tensor), encoded?.hidden].filter(
        one => one !== null && one !== undefined,
      );
      hidden = tape.repeat(times, hidden, [x => step(tape, x, run, { part, contexts, shared })], shared);
    }
    hidden = tape.rename(hidden, norm(tape, hidden));
    hidden = tape.rename(hidden, dropout(tape, hidden, rate));
    for (const { tensor } of biases) if (tensor) tape.release(tensor);
    return hidden;
  });
}

interface Given {
  readonly part: T5Block;
  readonly contexts: T5Contexts;
  readonly shared: readonly Tensor[];
}

function step(
  tape: Tape,
  x: Tensor,
  { recompute: { checkpointing: kind } }: MemoryRun,
  { part, contexts, shared }: Given,
): Tensor {
  const body = (input: Tensor): Tensor => part(tape, input, contexts);
  return checkpoint(tape, x, {
    kind,
    captured: [contexts.self.mask, contexts.cross?.mask ?? null, ...shared],
    body,
  });
}

interface SelfInputs {
  readonly embedded: Tensor;
  readonly padding: Tensor | null;
  readonly isDecoder: boolean;
  readonly biases: SharedBias;
}

function selfContext(
  tape: Tape,
  run: MemoryRun,
  { embedded, padding, isDecoder, biases }: SelfInputs,
): T5Context {
  const { behavior } = run;
  const { rows: batch, padded } = run.batch;
  const tokens = isDecoder ? run.batch.targets : run.batch.tokens;
  const always = isDecoder && padded && behavior.madeOfConfig;
  const shape = { batch, tokens, causal: isDecoder, window: null, always };
  const mask = attentionMask(tape, shape, padding, run.kernels.attention === 'eager' ? embedded.dtype : null);
  const lengths = { queries: tokens, keys: tokens, isDecoder };
  return { ...contextOf(run, lengths, mask && tape.name(mask), biases), causal: isDecoder, source: null };
}

interface CrossInputs {
  readonly embedded: Tensor;
  readonly hidden: Tensor;
  readonly padding: Tensor | null;
  readonly biases: SharedBias;
}

function crossContext(
  tape: Tape,
  run: MemoryRun,
  { embedded, hidden, padding, biases }: CrossInputs,
): T5Context {
  const { rows: batch, targets, tokens: keys } = run.batch;
  const shape = { batch, tokens: targets, keys, causal: false, window: null };
  const mask = attentionMask(tape, shape, padding, run.kernels.attention === 'eager' ? embedded.dtype : null);
  const lengths = { queries: targets, keys, isDecoder: true };
  return { ...contextOf(run, lengths, mask && tape.name(mask), biases), causal: false, source: hidden };
}

interface Lengths {
  readonly queries: number;
  readonly keys: number;
  readonly isDecoder: boolean;
}

function contextOf(
  run: MemoryRun,
  { queries, keys, isDecoder }: Lengths,
  mask: Tensor | null,
  biases: SharedBias,
): Omit<T5Context, 'causal' | 'source'> {
  const isTrained = run.task === 'train';
  const plain = plainAttention(run, queries, keys);
  return {
    ...plain,
    kind: plain.kind === 'eager' ? 'eager' : 'sdpa',
    mask,
    cache: isDecoder && !isTrained && run.generation.useCache,
    dropout: isTrained ? DROPOUT : 0,
    zerosAreTrained: isTrained && run.recompute.checkpointing !== 'none',
    biases,
  };
}

/** The default of T5Config. */
const DROPOUT = 0.1;
