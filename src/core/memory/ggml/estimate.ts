import type { Target } from '../../hardware/gpu';
import type { GgufWeights, ModelFacts } from '../../models/model';
import { publishedFormat } from '../../models/checkpointFormat';
import { formatCount, MIB } from '../../units';
import type { RunSpec } from '../../spec/runSpec';
import type { GgmlSettings } from '../../spec/values';
import { contextBytes } from '../context';
import type { DeviceEstimate, EstimateResult, HostEstimate, Term } from '../estimate';
import { interval } from '../interval';
import { RunQuestions } from '../setup/questions';
import { supposeModel } from '../setup/model';
import { verdictOf } from '../estimate';
import { cacheOf, computeBuffer, hostBuffer } from './buffers';
import type { Served } from './buffers';
import { weightsIn } from './file';
import { BLOCK_TYPES } from '../../models/ggmlTypes';
import type { GgmlType } from '../../models/ggmlTypes';

/** True for runs with llama.cpp settings. */
export const isGgml = ({ details }: RunSpec): boolean => (details.ggml?.value ?? null) !== null;

/** llama.cpp allocates all of its memory at startup: buffers for weights, for keys and values, and for a pass. */
export function ggmlRun(run: RunSpec, given: ModelFacts | null, target: Target | null): EstimateResult {
  const questions = new RunQuestions(run);
  const settings = questions.detail('ggml');
  const model = given ?? supposeModel(questions);
  if (settings === null) questions.lack('what llama.cpp is told');
  if (model === null) {
    const name = questions.value('model') ?? 'the model';
    questions.lack(`the architecture of ${name}`, { what: 'architecture', name });
  }
  const plan = settings && model && planOf(questions, settings, model);
  if (questions.missing.length > 0 || !plan) {
    return { ok: false, missing: questions.missing, gaps: questions.gaps };
  }
  const count = gpusOf(questions, target);
  const onGpu = layersOnGpu(questions, plan, target, count);
  const parts = Array.from({ length: count }, (_, gpu) => partOf(plan, { onGpu, gpu, count }));
  const devices = parts.filter(({ layers }) => layers > 0).map(part => deviceOf(plan, part, target, count));
  if (devices.length === 0) {
    return { ok: false, missing: ['a GPU: no layer is put on one'], gaps: [{ what: 'GPU' }] };
  }
  return {
    ok: true,
    estimate: {
      devices: devices.toSorted((a, b) => b.device.expected - a.device.expected),
      host: hostOf(plan, onGpu, target),
      notCounted: ['projectors of images, and draft models'],
      assumptions: questions.assumptions,
    },
  };
}

/** llama.cpp distributes layers over all visible GPUs. */
function gpusOf(questions: RunQuestions, target: Target | null): number {
  const devices = questions.value('devices');
  const seen = typeof devices === 'number' ? devices : null;
  return questions.value('gpus') ?? seen ?? target?.count ?? 1;
}

interface Plan {
  readonly weights: GgufWeights;
  readonly served: Served;
  readonly settings: GgmlSettings;
}

const isType = (name: string): name is GgmlType => Object.hasOwn(BLOCK_TYPES, name);

/** Defaults of llama.cpp 001d906, common/common.h; the server has four sequences that share the cells. */
const PASS = 512;
const SEQUENCES = 4;

/** The weights of a file that was read, of a mixture in a name, or of what llama.cpp takes. */
function weightsOf(questions: RunQuestions, file: string | null, model: ModelFacts): GgufWeights | null {
  if (model.gguf) return model.gguf;
  const mixture = file ?? ofRepository(questions, model);
  if (mixture === null) {
    return questions.lack('how the GGUF file is quantized: its name does not say');
  }
  const lacking = `how ${model.modelType} models lie in a file of ${mixture}`;
  return weightsIn(mixture, model) ?? questions.lack(lacking);
}

function planOf(questions: RunQuestions, settings: GgmlSettings, model: ModelFacts): Plan | null {
  const { file, keys, values, flashAttention, wholeWindows } = settings;
  const weights = weightsOf(questions, file, model);
  if (weights === null) return null;
  const length = questions.value('seqLen') ?? wholeContext(questions, model, settings);
  if (length === null || length === 0) return questions.lack('the context');
  if (!isType(keys) || !isType(values)) return questions.lack(`keys and values in ${keys} and ${values}`);
  const flash =
    flashAttention ?? questions.assume(true, 'flash attention, which llama.cpp takes where it can');
  const stated = questions.detail('maxSequences');
  const sequences = stated ?? SEQUENCES;
  const context = length * (settings.isPerSequence ? sequences : 1);
  const unified = settings.unified || stated === null;
  const pass = Math.min(questions.detail('prefillTokens') ?? PASS, settings.batch, context);
  const served = { model, context, sequences, unified, pass, flash, keys, values, wholeWindows };
  return { weights, settings, served };
}

/** A repository of the hub, `owner/name-GGUF`, without a file or a mixture. */
const REPOSITORY = /^[\w.-]{1,96}\/[\w.-]{1,91}gguf$/i;

/**
 * The file that llama.cpp takes of a repository: Q4_K_M (common/arg.cpp, --hf-repo), or what there is if it was made of a
 * checkpoint in MXFP4.
 */
function ofRepository(questions: RunQuestions, model: ModelFacts): string | null {
  const name = questions.value('model');
  if (typeof name !== 'string' || !REPOSITORY.test(name) || /\.gguf$/i.test(name)) return null;
  const isMxfp4 = publishedFormat(model)?.kind === 'mxfp4';
  return questions.assume(
    isMxfp4 ? 'MXFP4' : 'Q4_K_M',
    isMxfp4
      ? 'the file in MXFP4, as the model was published'
      : 'the file in Q4_K_M, which llama.cpp takes of a repository',
  );
}

/** Where the context is each sequence's own, nobody takes the model's. */
function wholeContext(
  questions: RunQuestions,
  { maxPositions }: ModelFacts,
  { isPerSequence }: GgmlSettings,
): number | null {
  if (maxPositions === null || isPerSequence) return null;
  return questions.assume(maxPositions, `a context of ${maxPositions} tokens, for which the model was made`);
}

/** If no one sets the number of GPU layers, it leaves 1 GiB of each GPU free (common/fit.cpp). */
const MARGIN = 1024 * MIB;

function layersOnGpu(questions: RunQuestions, plan: Plan, target: Target | null, count: number): number {
  const all = plan.served.model.layers + 1;
  const { gpuLayers } = plan.settings;
  if (gpuLayers !== null) return Math.min(all, gpuLayers);
  if (target === null) return questions.assume(all, 'all layers on the GPU');
  const usable = (target.usableMiB - target.busyMiB) * MIB - MARGIN;
  const fits = (onGpu: number): boolean =>
    Array.from({ length: count }, (_, gpu) => partOf(plan, { onGpu, gpu, count })).every(
      part => sumOf(part) + contextBytes(target) <= usable,
    );
  let onGpu = all;
  while (onGpu > 1 && !fits(onGpu)) onGpu -= 1;
  return questions.assume(onGpu, `${onGpu} of ${all} layers on the GPU: as many as there is room for`);
}

interface Part {
  readonly layers: number;
  readonly weights: number;
  readonly cache: number;
  readonly compute: number;
}

const sumOf = ({ weights, cache, compute }: Part): number => weights + cache + compute;

/**
 * One GPU's part: layers from the end, split evenly among GPUs with equal free memory; the output counts as a layer
 * after the last (llama.cpp, src/llama-model.cpp, get_layer_buft_list).
 */
function partOf(
  { weights, served, settings }: Plan,
  { onGpu, gpu, count }: { readonly onGpu: number; readonly gpu: number; readonly count: number },
): Part {
  const { layers } = served.model;
  const first = Math.max(0, layers + 1 - onGpu);
  const own = Array.from({ length: onGpu }, (_, i) => first + i).filter(
    (_, i) => Math.min(count - 1, Math.floor((i / onGpu) * count)) === gpu,
  );
  const inside = own.filter(layer => layer < layers);
  const sum = (of: (layer: number) => number): number => inside.reduce((all, layer) => all + of(layer), 0);
  const largest = Math.max(0, ...inside.map(layer => cacheOf(served, layer)));
  return {
    layers: own.length,
    weights:
      sum(layer => (weights.layers[layer] ?? 0) - onHost(weights, settings, layer)) +
      (own.includes(layers) ? weights.output : 0),
    cache: settings.cacheOnGpu ? sum(layer => cacheOf(served, layer)) : 0,
    compute: computeBuffer(served, settings.cacheOnGpu ? 0 : largest),
  };
}

/** Experts of the first layers stay on the host (`--n-cpu-moe`). */
const onHost = ({ experts }: GgufWeights, { expertsOnHost }: GgmlSettings, layer: number): number =>
  layer < expertsOnHost ? (experts?.[layer] ?? 0) : 0;

/** Buffers are known to the MiB; CUDA's pools and kernels of quantized products are not. */
const SPREAD = { below: 0.05, above: 0.12 };

function deviceOf(plan: Plan, part: Part, target: Target | null, count: number): DeviceEstimate {
  const { served, settings } = plan;
  const context = contextBytes(target);
  const allocated = sumOf(part);
  const device = interval(allocated + context, SPREAD);
  const usable = target && (target.usableMiB - target.busyMiB) * MIB;
  const { model } = served;
  const terms: readonly Term[] = [
    {
      term: 'weights',
      bytes: part.weights,
      formula: `${part.layers} of ${model.layers + 1} layers of ${settings.file}, the output counted as one`,
      from: ['model', 'ggml'],
    },
    {
      term: 'kv cache',
      bytes: part.cache,
      formula: `${formatCount(served.context)} cells of ${model.kvHeads} × ${model.headDim}, keys ${served.keys}, values ${served.values}`,
      from: ['seqLen', 'ggml'],
    },
    {
      term: 'temporaries',
      bytes: part.compute,
      formula: `the buffer of a pass of ${served.pass} tokens${served.flash ? '' : ', scores of all heads'}`,
      from: ['seqLen', 'ggml'],
    },
    { term: 'cuda context', bytes: context, formula: 'driver context and loaded kernels', from: [] },
  ];
  const name = target?.name ?? 'per GPU';
  return {
    name: count > 1 ? `${name}, one of ${count}` : name,
    capacityBytes: target && target.totalMiB * MIB,
    usableBytes: usable,
    device,
    reserved: interval(allocated, SPREAD),
    allocated: interval(allocated, SPREAD),
    verdict: verdictOf(device, allocated + context, usable),
    peakPhase: 'load',
    phases: [{ phase: 'load', bytes: allocated }],
    terms: terms.filter(({ bytes }) => bytes > 0),
  };
}

/** The word table is always on the host, with everything that is on no GPU. */
function hostOf({ weights, served, settings }: Plan, onGpu: number, target: Target | null): HostEstimate {
  const first = Math.max(0, served.model.layers + 1 - onGpu);
  const sum = (until: number, of: (layer: number) => number): number =>
    Array.from({ length: until }, (_, layer) => of(layer)).reduce((all, bytes) => all + bytes, 0);
  const layers = Math.min(first, served.model.layers);
  const all = served.model.layers;
  const experts = sum(all, layer => (layer < first ? 0 : onHost(weights, settings, layer)));
  const held = weights.words + experts + sum(layers, layer => weights.layers[layer] ?? 0);
  const cached = sum(settings.cacheOnGpu ? layers : all, layer => cacheOf(served, layer));
  const whole = held + cached + (layers > 0 ? computeBuffer(served) : hostBuffer(served));
  const bytes = { low: whole, expected: whole, high: whole * 1.2 };
  const hostMiB = target?.hostMiB ?? null;
  const kept = [
    'the table of words',
    ...(experts > 0 ? ['experts of layers on GPUs'] : []),
    ...(layers > 0 ? [`${layers} layers`] : []),
    ...(cached > 0 ? ['their cache'] : []),
  ];
  const formula = `${kept.join(', ')} and a pass`;
  return {
    phase: 'load',
    bytes,
    terms: [{ term: 'offloaded', bytes, formula }],
    capacityBytes: hostMiB === null ? null : hostMiB * MIB,
  };
}
