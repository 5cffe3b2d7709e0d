import { stated } from '../../configValues';
import { batchedMatmul, sdpa, softmax } from '../../ops/attention';
import type { AttentionShape, Heads } from '../../ops/attention';
import { dropout } from '../../ops/pointwise';
import { copy, repeatHeads } from '../../ops/shape';
import type { MemoryRun } from '../../run';
import type { Tape } from '../../tape';
import type { Tensor } from '../../tensor';
import { checkpointStreams } from '../../transforms/checkpoint';
import { notesScores } from '../../work';

/** The inputs of core attention. */
export interface CoreAttention {
  readonly shape: AttentionShape;
  /** All scores are materialized. */
  readonly unfused: boolean;
  readonly rate: number;
  /** `--recompute-granularity selective`: it runs again in backward. */
  readonly again: boolean;
}

/** The core attention of a run, for this many queries and keys. */
export function coreAttentionOf(
  run: MemoryRun,
  rate: number,
  keys = run.batch.tokens,
  queries = run.batch.tokens,
): CoreAttention {
  const { model } = run;
  const batch = run.batch.rows;
  const { attention, hasFlash } = run.kernels;
  const { checkpointing } = run.recompute;
  const contextRanks = run.ranks.context;
  const { heads, kvHeads, headDim } = model;
  return {
    shape: { batch, heads, kvHeads, headDim, queries, keys: keys * contextRanks, hasFlash },
    unfused: attention === 'eager',
    rate,
    again: checkpointing === 'selective',
  };
}

/** DotProductAttention, or Transformer Engine's kernels. */
export function coreAttention(tape: Tape, heads: Heads, core: CoreAttention): Tensor {
  if (!core.again) return attended(tape, heads, core);
  const { query, key, value } = heads;
  const [mixed = query] = checkpointStreams(
    tape,
    [query, key, value],
    [],
    ([q = query, k = key, v = value]) => [attended(tape, { query: q, key: k, value: v }, core)],
  );
  return mixed;
}

function attended(tape: Tape, { query, key, value }: Heads, { shape, unfused, rate }: CoreAttention): Tensor {
  if (!unfused) return sdpa(tape, { query, key, value }, shape, null);
  const repeats = shape.heads / shape.kvHeads;
  return tape.call([query, key, value], () => {
    const keys = tape.name(repeatHeads(tape, key, repeats, true));
    const values = tape.name(repeatHeads(tape, value, repeats, true));
    const scores = shape.batch * shape.heads * shape.queries * shape.keys;
    const asIs = (tensor: Tensor): { tensor: Tensor; permuted: boolean } => ({ tensor, permuted: false });
    const product = batchedMatmul(tape, asIs(query), asIs(keys), scores);
    notesScores(tape, product, shape);
    // One kernel scales, masks and normalizes (core/fusions/fused_softmax.py), in the dtype of the scores.
    const weights = tape.name(softmax(tape, product));
    const dropped = tape.rename(weights, dropout(tape, weights, rate));
    const outputs = (query.elements / shape.headDim) * (value.elements / key.elements) * shape.headDim;
    const mixed = tape.name(batchedMatmul(tape, asIs(dropped), asIs(values), outputs));
    notesScores(tape, mixed, { ...shape, keys: shape.headDim, headDim: shape.keys });
    return copy(tape, mixed);
  });
}

/** megatron/core/transformer/transformer_config.py: hidden_dropout and attention_dropout. */
const DEFAULT_RATE = 0.1;

/** Dropout probabilities; models from a config have its rates. */
export function ratesOf({ model, task }: MemoryRun): { readonly hidden: number; readonly attention: number } {
  if (task !== 'train') return { hidden: 0, attention: 0 };
  const own = model.modelType.startsWith('megatron') ? DEFAULT_RATE : 0;
  return {
    hidden: stated(model, 'hidden_dropout', own),
    attention: stated(model, 'attention_dropout', own),
  };
}
