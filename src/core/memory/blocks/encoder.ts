import { plainAttention } from './attend';
import type { Batch } from '../architecture';
import type { Linear, Repeated, Step } from '../modules';
import { tanh } from '../ops/pointwise';
import { slice } from '../ops/shape';
import type { MemoryRun } from '../run';
import type { Tape } from '../tape';
import type { Tensor } from '../tensor';
import { checkpoint } from '../transforms/checkpoint';
import type { DropoutRates, EncoderEmbeddings } from './encoderEmbeddings';
import type { Encoded } from './encoderHeads';
import type { EncoderContext, EncoderLayer } from './encoderLayer';
import { attentionMask } from './mask';

/** The parameters of a BertModel. */
interface Encoder {
  readonly embeddings: EncoderEmbeddings;
  /** Applied to the embeddings before the first layer. */
  readonly enter: Step | null;
  readonly layers: readonly Repeated<EncoderLayer>[];
  readonly pooler: Linear | null;
  readonly rates: DropoutRates;
  /** Creates the bias that all layers add to their scores. */
  readonly bias: MakeBias | null;
}

export type MakeBias = (tape: Tape) => Tensor;

/** BertModel.forward. */
export function encoder(
  tape: Tape,
  { inputIds, attentionMask: padding }: Batch,
  parts: Encoder,
  run: MemoryRun,
): Encoded {
  const { rows: batch, tokens } = run.batch;
  const { attention } = run.kernels;
  const [hidden, pooled] = tape.call([inputIds], () => {
    const embedded = tape.name(parts.embeddings.embed(tape, inputIds));
    const eager = attention === 'eager' ? embedded.dtype : null;
    const mask =
      attention === 'flash'
        ? null
        : attentionMask(tape, { batch, tokens, causal: false, window: null }, padding, eager);
    if (mask) tape.name(mask);
    const bias = parts.bias && tape.name(parts.bias(tape));
    const context = { ...contextOf(run, parts.rates, mask), bias };
    const shared = bias ? [bias] : [];
    let states = tape.name(parts.enter ? parts.enter(tape, embedded) : embedded);
    for (const { part, times } of parts.layers) {
      states = tape.repeat(times, states, [x => layer(tape, x, part, context, run)], shared);
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
  { recompute: { checkpointing: kind } }: MemoryRun,
): Tensor {
  const captured = [context.mask, context.bias];
  const body = (input: Tensor): Tensor => part(tape, input, context);
  return checkpoint(tape, x, { kind, captured, body });
}

function contextOf(run: MemoryRun, rates: DropoutRates, mask: Tensor | null): EncoderContext {
  const { formerCode, handsWeightsOn } = run.behavior;
  return {
    ...plainAttention(run, run.batch.tokens),
    mask,
    floorsScores: formerCode,
    dropout: rates.attention,
    hiddenDropout: rates.hidden,
    keepsScores: !handsWeightsOn,
    handsWeightsOn,
  };
}

/** BertPooler: tanh of a linear layer over the first token. */
function pool(
  tape: Tape,
  hidden: Tensor,
  pooler: Linear,
  { batch: { rows: batch }, model }: MemoryRun,
): Tensor {
  return tape.call([hidden], () => {
    const first = tape.name(slice(tape, hidden, batch * model.hiddenSize));
    const projected = tape.name(pooler(tape, first));
    return tanh(tape, projected);
  });
}
