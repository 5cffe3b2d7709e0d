import type { GpuFacts, Target } from '../../../src/core/hardware/gpu';
import type { Bytes, DeviceEstimate, Estimate, Term, Verdict } from '../../../src/core/memory/estimate';
import type { ModelFacts } from '../../../src/core/models/model';

export const GIB = 2 ** 30;

/** Llama-2-7B's shapes. */
export const llama: ModelFacts = {
  id: 'NousResearch/Llama-2-7b-hf',
  modelType: 'llama',
  kind: 'decoder',
  hiddenSize: 4096,
  intermediateSize: 11008,
  layers: 32,
  heads: 32,
  kvHeads: 32,
  headDim: 128,
  vocabSize: 32000,
  maxPositions: 4096,
  tiedEmbeddings: false,
  qkvBias: false,
  attentionOutBias: false,
  mlpBias: false,
  gatedMlp: true,
  activation: 'silu',
  dtype: 'float16',
  slidingWindow: null,
  experts: 0,
  expertsPerToken: 0,
  parameters: {
    total: 6_738_415_616,
    embedding: 131_072_000,
    attention: 2_147_483_648,
    mlp: 4_328_521_728,
    norm: 266_240,
    head: 131_072_000,
    other: 0,
  },
  publishedTotal: null,
  source: 'catalog',
  extra: {},
};

const ampere: GpuFacts = {
  name: 'NVIDIA GeForce RTX 4090',
  label: 'RTX 4090',
  aliases: [],
  vendor: 'NVIDIA',
  architecture: 'Ada Lovelace',
  computeCapability: '8.9',
  memoryMiB: 24564,
  usableMiB: 24100,
  contextMiB: null,
  bandwidthGBs: null,
  supports: { bf16: true, fp8: true, flashAttention2: true, mig: false },
};

const volta: GpuFacts = {
  ...ampere,
  name: 'Tesla V100-SXM2-16GB',
  label: 'V100 16GB',
  architecture: 'Volta',
  computeCapability: '7.0',
  supports: { bf16: false, fp8: false, flashAttention2: false, mig: false },
};

const targetOf = (gpu: GpuFacts): Target => ({
  name: gpu.label,
  totalMiB: 24564,
  usableMiB: 24100,
  busyMiB: 0,
  gpu,
  count: null,
  nodes: 1,
  kind: 'planned',
});

export const rtx4090 = targetOf(ampere);
export const v100 = targetOf(volta);

const bytes = (gib: number, spread: number): Bytes => ({
  low: gib * (1 - spread) * GIB,
  expected: gib * GIB,
  high: gib * (1 + spread) * GIB,
});

/** An estimate of so many GiB on a 24 GiB card. */
export function estimateOf(verdict: Verdict, gib: number, spread = 0.1): Estimate {
  const terms: Term[] = [
    { term: 'activations', bytes: gib * 0.3 * GIB, formula: 'half', from: [] },
    { term: 'weights', bytes: gib * 0.6 * GIB, formula: 'most', from: [] },
    { term: 'cuda context', bytes: gib * 0.1 * GIB, formula: 'rest', from: [] },
  ];
  const device: DeviceEstimate = {
    name: 'RTX 4090',
    capacityBytes: 24 * GIB,
    usableBytes: 23.5 * GIB,
    device: bytes(gib, spread),
    reserved: bytes(gib, spread),
    allocated: bytes(gib, spread),
    verdict,
    peakPhase: 'backward',
    phases: [{ phase: 'backward', bytes: gib * GIB }],
    terms,
  };
  return { devices: [device], notCounted: [], assumptions: [] };
}
