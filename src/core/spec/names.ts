import type { Unit } from './quantity';
import type { DetailName, QuantityName } from './values';

/** What every quantity is counted in, unless a dialect says otherwise; null for words and flags. */
export const quantityUnits: Readonly<Record<QuantityName, Unit | null>> = {
  model: null,
  task: null,
  method: null,
  microBatchSize: 'samples',
  gradAccum: null,
  globalBatchSize: 'samples',
  effectiveBatch: 'samples',
  seqLen: 'tokens',
  packing: null,
  imageSize: 'pixels',
  precision: null,
  precisionRaw: null,
  loadDtype: null,
  quantization: null,
  optimizer: null,
  gradientCheckpointing: null,
  attention: null,
  loss: null,
  lora: null,
  zeroStage: null,
  fsdp: null,
  offload: null,
  parallel: null,
  gpus: 'GPUs',
  nodes: 'nodes',
  devices: 'GPUs',
  accelerator: null,
  strategy: null,
  evalBatchSize: 'samples',
  numWorkers: 'workers',
  compile: null,
};

/** In the order of outputs. */
export const quantityNames = Object.keys(quantityUnits) as readonly QuantityName[];

const details: Readonly<Record<DetailName, true>> = {
  paddedRows: true,
  fixedLength: true,
  kbitPrepare: true,
  adapterDtype: true,
  checkpointDtype: true,
  autocast: true,
  fp32Embeddings: true,
  optimizerInBackward: true,
  fusedOptimizer: true,
  reentrantCheckpointing: true,
  selectiveCheckpointing: true,
  sequencesPerSample: true,
  encoders: true,
  referenceModel: true,
  head: true,
  kvCache: true,
  logitsToKeep: true,
  generatedTokens: true,
  targetTokens: true,
  staticCache: true,
  kvCacheDtype: true,
  memoryShare: true,
  maxSequences: true,
  prefillTokens: true,
  kernels: true,
  zeroBuffers: true,
  frames: true,
  precomputed: true,
  evaluates: true,
};

export const detailNames = Object.keys(details) as readonly DetailName[];
