import type { Serving } from '../engine';
import type { MemoryRun } from '../run';
import { bytesPer } from '../tensor';

/**
 * Models whose word table and head get adapters, too: those with `embedding_modules` (vllm,
 * model_executor/models/llama.py and classes made of it, mixtral.py, granite.py, phimoe.py …).
 */
const WITH_WORDS: ReadonlySet<string> = new Set([
  'llama',
  'mistral',
  'mixtral',
  'granite',
  'phi3',
  'phimoe',
  'nemotron',
  'solar',
  'exaone',
  'jamba',
]);

/**
 * Bytes on a rank of the room for adapters, in the dtype of the weights: for each slot a pair of matrices at the largest
 * rank for each part of each linear layer, whatever the adapters have (vllm, lora/layers: base_linear.py,
 * column_parallel_linear.py, fused_moe.py, create_lora_weights). Without full sharding, ranks share only the side that
 * the layer splits; the head's matrices are not shared (logits_processor.py).
 */
export function adapterSlotsBytes(run: MemoryRun, serving: Serving): number {
  const adapters = serving.extras?.adapters ?? null;
  if (adapters === null) return 0;
  const { model, numbers } = run;
  const ranks = serving.tensorRanks;
  const shared = adapters.isSharded ? ranks : 1;
  const { hiddenSize: hidden, heads, kvHeads, headDim, vocabSize } = model;
  const keys = Math.max(1, kvHeads / ranks) * headDim;
  const queries = (heads * headDim) / ranks;
  const attention = columns(hidden / shared, [queries, keys, keys]) + queries + hidden / shared;
  const layers = model.layers / serving.stages;
  const words = WITH_WORDS.has(model.modelType) ? 2 * (vocabSize + hidden) : 0;
  const perRank = layers * (attention + mlpValues(run, serving, shared)) + words;
  return adapters.slots * adapters.rank * perRank * bytesPer(numbers.weightDtype);
}

/** A layer with several outputs has a pair for each; per unit of rank. */
const columns = (input: number, outputs: readonly number[]): number =>
  outputs.reduce((sum, output) => sum + input + output, 0);

function mlpValues({ model }: MemoryRun, { tensorRanks, engine }: Serving, shared: number): number {
  const { hiddenSize, intermediateSize, gatedMlp, experts, moe } = model;
  const of = (inner: number): number =>
    columns(hiddenSize / shared, gatedMlp ? [inner, inner] : [inner]) + inner + hiddenSize / shared;
  if (moe === null) return of(intermediateSize / tensorRanks);
  const router = hiddenSize + experts;
  return engine.startUp?.adaptsExperts === true
    ? router + experts * of(moe.intermediateSize / tensorRanks)
    : router;
}
