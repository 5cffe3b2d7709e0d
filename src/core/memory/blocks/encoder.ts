import type { Batch } from '../architecture';
import type { Linear, Repeated, Step } from '../modules';
import { dropout } from '../ops/dropout';
import { embedding } from '../ops/embedding';
import { add, tanh } from '../ops/pointwise';
import { slice } from '../ops/shape';
import type { MemoryRun } from '../run';
import type { Tape } from '../tape';
import type { Parameter, Tensor } from '../tensor';
import { checkpoint } from '../transforms/checkpoint';
import { trainableInput } from './decoder';
import type { Encoded } from './encoderHeads';
import { encoderLayer } from './encoderLayer';
import type { EncoderContext, EncoderLayer } from './encoderLayer';
import { attentionMask } from './mask';

export interface EncoderEmbeddings {
  readonly words: Parameter;
  readonly positions: Parameter;
  /** Of the two sentences of a pair. */
  readonly types: Parameter;
  readonly norm: Step;
}

/** Rows of the tables of positions and types, for a batch; what they are views of gets names of the running function. */
export type RowsOf = (
  tape: Tape,
  inputIds: Tensor,
  run: MemoryRun,
) => { readonly positions: Tensor; readonly types: Tensor };

/** Probabilities of dropout; 0 where nothing is trained. */
export interface DropoutRates {
  /** Of embeddings, and of what a layer adds. */
  readonly hidden: number;
  readonly attention: number;
}

/** The parameters of a BertModel. */
export interface Encoder {
  readonly embeddings: EncoderEmbeddings;
  readonly layers: readonly Repeated<EncoderLayer>[];
  readonly pooler: Linear | null;
  readonly rates: DropoutRates;
  readonly rowsOf: RowsOf;
}

/** BertModel.forward. */
export function encoder(
  tape: Tape,
  { inputIds, attentionMask: padding }: Batch,
  parts: Encoder,
  run: MemoryRun,
): Encoded {
  const { batch, tokens, attention } = run;
  const [hidden, pooled] = tape.call([inputIds], () => {
    const embedded = tape.name(embed(tape, inputIds, parts, run));
    const eager = attention === 'eager' ? embedded.dtype : null;
    const mask =
      attention === 'flash'
        ? null
        : attentionMask(tape, { batch, tokens, causal: false, window: null }, padding, eager);
    if (mask) tape.name(mask);
    const context = contextOf(run, parts.rates, mask);
    let states = tape.name(embedded);
    for (const { part, times } of parts.layers) {
      states = tape.repeat(times, states, [x => layer(tape, x, part, context, run)]);
    }
    return parts.pooler ? ([states, pool(tape, states, parts.pooler, run)] as const) : ([states] as const);
  });
  return { hidden, pooled: pooled ?? null };
}

function layer(
  tape: Tape,
  x: Tensor,
  part: EncoderLayer,
  context: EncoderContext,
  { checkpointing }: MemoryRun,
): Tensor {
  if (checkpointing === 'none') return encoderLayer(tape, x, part, context);
  const captured = context.mask ? [context.mask] : [];
  const body = (input: Tensor): Tensor => encoderLayer(tape, input, part, context);
  return checkpoint(tape, x, { kind: checkpointing, captured, body });
}

function contextOf(run: MemoryRun, rates: DropoutRates, mask: Tensor | null): EncoderContext {
  const { model, batch, tokens, attention, behaviour } = run;
  const { heads, headDim } = model;
  return {
    shape: { batch, heads, kvHeads: heads, headDim, queries: tokens, keys: tokens, hasFlash: run.hasFlash },
    kind: attention,
    mask,
    cache: false,
    repeatsKeyHeads: false,
    copiesInputs: behaviour.copiesAttentionInputs,
    floorsScores: behaviour.formerCode,
    softmax: 'own',
    capsScores: false,
    dropout: rates.attention,
    hiddenDropout: rates.hidden,
  };
}

/** BertEmbeddings.forward: words, types and positions summed, normalised, dropped. */
function embed(tape: Tape, inputIds: Tensor, { embeddings, rates, rowsOf }: Encoder, run: MemoryRun): Tensor {
  const { words, positions, types, norm } = embeddings;
  return tape.call([inputIds], () => {
    const rows = rowsOf(tape, inputIds, run);
    const looked = embedding(tape, words, inputIds);
    const embedded = tape.name(
      run.inputGradients && looked.node === null ? trainableInput(tape, looked) : looked,
    );
    const ofTypes = tape.name(embedding(tape, types, rows.types));
    let sum = tape.name(add(tape, embedded, ofTypes));
    const ofPlaces = tape.name(embedding(tape, positions, rows.positions));
    sum = tape.rename(sum, add(tape, sum, ofPlaces));
    sum = tape.rename(sum, norm(tape, sum));
    return dropout(tape, sum, rates.hidden);
  });
}

/** BertPooler: tanh of a linear layer over the first token. */
function pool(tape: Tape, hidden: Tensor, pooler: Linear, { batch, model }: MemoryRun): Tensor {
  return tape.call([hidden], () => {
    const first = tape.name(slice(tape, hidden, batch * model.hiddenSize));
    const projected = tape.name(pooler(tape, first));
    return tanh(tape, projected);
  });
}
