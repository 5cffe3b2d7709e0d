import type { Target } from '../../hardware/gpu';
import { outerType, towerOf } from '../../models/languageModel';
import { MIB } from '../../units';
import type { Serving, StartUp } from '../engine';
import type { Peak } from '../ledger';
import type { MemoryRun } from '../run';
import { bytesPer } from '../tensor';
import { ACTIVATIONS, ADAPTERS, INPUTS, LOGITS, WEIGHTS } from '../terms';
import type { PlayedPhase } from '../played';
import { adapterSlotsBytes } from './adapterSlots';
import { draftsOf } from './drafts';
import { latentCopies, offloadedBytes, replicatedBytes, restsOfWeights, rotaryTables } from './weights';

/** The largest batch that a CUDA graph is captured for by default, and its number of graphs (vllm, config/vllm.py). */
const MOST_TOKENS = 512;

/** Batches that graphs are captured for: 1, 2, 4, then every 8th to 256, then every 16th (`_set_cudagraph_sizes`). */
export function captureSizes(sequences: number, tokens: number): readonly number[] {
  const most = Math.min(2 * sequences, MOST_TOKENS, tokens);
  const sizes = [1, 2, 4].filter(size => size <= most);
  for (let size = 8; size <= most && size < 256; size += 8) sizes.push(size);
  for (let size = 256; size <= most; size += 16) sizes.push(size);
  return sizes;
}

/**
 * Least squares over ten starts of vLLM 0.19 on one H100 (Code Llama, Gemma 1 to 3, Phi; 51 sizes up to 512): what the
 * driver keeps of a layer's graph for each size, and what the graphs' pool holds per token and inner column. Eight
 * others (Qwen2.5, Mistral; one to four GPUs) are 8 % off.
 */
const BYTES_PER_LAYER_GRAPH = 0.347 * 2 ** 20;
const BYTES_PER_INNER_VALUE = 31;

/**
 * Memory of CUDA graphs that are captured by layer for each size, where adapters are served once more without them
 * (vllm, v1/cudagraph_dispatcher.py, _get_lora_cases; cudagraph_specialize_lora).
 */
function graphsBytes({ model, batch }: MemoryRun, serving: Serving, startUp: StartUp): number {
  if (serving.isEager) return 0;
  const cases = startUp.capturesTwice && serving.extras?.adapters ? 2 : 1;
  const sizes = captureSizes(serving.sequences, batch.tokens);
  const inner = (model.moe?.intermediateSize ?? model.intermediateSize) / serving.tensorRanks;
  const pool = (sizes.at(-1) ?? 0) * inner * BYTES_PER_INNER_VALUE;
  return (model.layers / serving.stages) * sizes.length * cases * BYTES_PER_LAYER_GRAPH + pool;
}

/** What a server takes before it allocates its cache. */
export interface StartedUp {
  /** The phases, with what the engine's own code has in the pass. */
  readonly phases: readonly PlayedPhase[];
  /** Kernels that the pass loads, outside torch's counters. */
  readonly kernelsBytes: number;
  /** Buffers for communication between GPUs, outside torch's counters. */
  readonly communicationBytes: number;
  readonly graphsBytes: number;
  /** Room for adapters, in the phases, too. */
  readonly adaptersBytes: number;
}

/** The startup of an engine whose code was read; `phases`: the model's own load and pass on one GPU. */
export function startedUp(
  run: MemoryRun,
  serving: Serving,
  startUp: StartUp,
  phases: readonly PlayedPhase[],
  target: Target | null,
): StartedUp {
  const [load] = phases;
  const extras = {
    weights:
      restsOfWeights(run, serving) +
      latentCopies(run, serving) +
      replicatedBytes(run, serving) +
      draftsOf(run, serving).weightsBytes -
      offloadedBytes(run, serving, load?.peak.terms[WEIGHTS] ?? 0),
    tables: rotaryTables(run),
    adapters: adapterSlotsBytes(run, serving),
  };
  return {
    adaptersBytes: extras.adapters,
    phases: phases.map(({ phase, peak }) => ({
      phase,
      peak:
        load && phase !== 'load'
          ? passOf(run, serving, startUp, { load: load.peak, peak, target }, extras)
          : loaded(peak, extras),
    })),
    kernelsBytes: startUp.kernelsMiB * MIB,
    communicationBytes: serving.tensorRanks > 1 ? startUp.communicationMiB(target) * MIB : 0,
    graphsBytes: graphsBytes(run, serving, startUp),
  };
}

/** The startup of an engine whose code was not read: copies of weights and buffers for communication are all that is known. */
export function unread(
  run: MemoryRun,
  serving: Serving,
  phases: readonly PlayedPhase[],
  target: Target,
): StartedUp {
  const { engine, tensorRanks } = serving;
  const communication = tensorRanks > 1 ? (engine.communicationMiB?.(target) ?? 0) : 0;
  const weights = latentCopies(run, serving) + replicatedBytes(run, serving);
  const extras = { weights, tables: 0, adapters: 0 };
  return {
    phases: phases.map(({ phase, peak }) => ({ phase, peak: loaded(peak, extras) })),
    kernelsBytes: 0,
    communicationBytes: communication * MIB,
    graphsBytes: 0,
    adaptersBytes: 0,
  };
}

/** What is loaded beyond the parameters that are on the GPU; weights on the host count less than nothing. */
interface Extras {
  readonly weights: number;
  readonly tables: number;
  readonly adapters: number;
}

function loaded(peak: Peak, { weights, tables, adapters }: Extras): Peak {
  return added(peak, [
    [WEIGHTS, weights],
    [INPUTS, tables],
    [ADAPTERS, adapters],
  ]);
}

function added({ bytes, terms }: Peak, more: readonly (readonly [term: number, bytes: number])[]): Peak {
  const all = Float64Array.from(terms);
  let sum = bytes;
  for (const [term, extra] of more) {
    all[term] = (all[term] ?? 0) + extra;
    sum += extra;
  }
  return { bytes: sum, terms: all };
}

interface Pass {
  readonly load: Peak;
  /** The peak of the model's own code. */
  readonly peak: Peak;
  readonly target: Target | null;
}

/**
 * The profiling pass (vllm, v1/worker/gpu_model_runner.py, profile_run): the encoder's output for as many images as are
 * computed at once stays; then the model computes its largest batch; then the sampler warms up with a row of logits
 * for each sequence, while the hidden states of the whole batch are still there.
 */
function passOf(run: MemoryRun, serving: Serving, startUp: StartUp, pass: Pass, extras: Extras): Peak {
  const { model, batch, numbers } = run;
  const each = bytesPer(numbers.weightDtype);
  const rows = Math.min(serving.sequences, batch.tokens);
  const media = mediaBytes(run);
  const hidden = (batch.tokens + 2 * rows) * model.hiddenSize * each;
  const logits =
    rows * model.vocabSize * startUp.samplerBytesPerLogit +
    (startUp.samplerKeepsRows ? multiprocessors(pass.target) * model.vocabSize * 4 : 0);
  const forward = isPlain(run) ? forwardBytes(run, serving) : pass.peak.bytes - pass.load.bytes;
  const before = loaded(pass.load, extras);
  return hidden + logits > forward
    ? added(before, [
        [ACTIVATIONS, hidden + media],
        [LOGITS, logits],
      ])
    : added(before, [[ACTIVATIONS, forward + media]]);
}

/** Decoders whose layers are attention and an MLP, dense or of experts. */
function isPlain({ model }: MemoryRun): boolean {
  const types = model.extra['layer_types'];
  const isMixed =
    Array.isArray(types) && types.some(type => typeof type === 'string' && !type.endsWith('attention'));
  const isLinear = Array.isArray(types) && types.includes('linear_attention');
  return model.mla === null && model.intermediateSize > 0 && model.heads > 0 && !isMixed && !isLinear;
}

/** Formats whose products take 8-bit inputs. */
const EIGHT_BIT_INPUTS: ReadonlySet<string> = new Set(['w8a8', 'fp8']);

/**
 * States of the hidden size in the middle of a layer: attention's output and the residual that the compiled piece was
 * given, their sum, and its norm (vllm, compilation/backends.py: a piece's inputs live as long as it runs).
 */
const HIDDEN_STATES = 4;

/** The pass itself at its peak, in the MLP of a layer on one rank. */
function forwardBytes({ model, batch: { tokens }, numbers }: MemoryRun, { tensorRanks }: Serving): number {
  const { hiddenSize, intermediateSize, gatedMlp, expertsPerToken, moe } = model;
  const each = bytesPer(numbers.weightDtype);
  const states = HIDDEN_STATES * hiddenSize * each;
  const narrow = numbers.quantization !== null && EIGHT_BIT_INPUTS.has(numbers.quantization) ? 1 : 0;
  const inner = (moe?.intermediateSize ?? intermediateSize) / tensorRanks;
  const first = gatedMlp ? 2 * inner : inner;
  // model_executor/layers/fused_moe/fused_moe.py: workspaces for the products of all chosen experts.
  const mlp = moe
    ? expertsPerToken * (Math.max(inner, hiddenSize) + Math.max(first, hiddenSize)) * each
    : (first + inner) * each + inner * narrow;
  return tokens * (states + mlp);
}

/** Patches along one side that become one token; most towers merge two. */
const MERGED: ReadonlyMap<string, number> = new Map([['gemma3', 4]]);
const USUALLY_MERGED = 2;

const COLORS = 3;

/** Images of as many tokens as one pass has: their pixels, and the encoder's output for them. */
function mediaBytes({ model, batch: { tokens }, numbers }: MemoryRun): number {
  const tower = towerOf(model);
  if (tower === null) return 0;
  const merged = MERGED.get(outerType(model)) ?? USUALLY_MERGED;
  const pixels = (tower.patch * merged) ** 2 * COLORS;
  return tokens * (model.hiddenSize + pixels) * bytesPer(numbers.weightDtype);
}

/** NVIDIA's data sheets, by compute capability of the data-center card. */
const MULTIPROCESSORS: Readonly<Record<string, number>> = {
  '7.5': 40,
  '8.0': 108,
  '8.6': 84,
  '8.9': 142,
  '9.0': 132,
  '10.0': 148,
  '12.0': 188,
};

const multiprocessors = (target: Target | null): number =>
  MULTIPROCESSORS[target?.gpu?.computeCapability ?? ''] ?? 128;
