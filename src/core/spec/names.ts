import type { Unit } from './quantity';
import type { DetailName, QuantityName } from './values';

/** The unit of each quantity, unless a dialect says otherwise; null for words and flags. */
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

/** True for the name of a quantity. */
export const isQuantityName = (name: string): name is QuantityName => Object.hasOwn(quantityUnits, name);

const details: Readonly<Record<DetailName, true>> = {
  paddedRows: true,
  fixedLength: true,
  unlimitedLength: true,
  kbitPrepare: true,
  adapterDtype: true,
  trainedDtype: true,
  checkpointDtype: true,
  autocast: true,
  fp32Embeddings: true,
  optimizerInBackward: true,
  fusedOptimizer: true,
  reentrantCheckpointing: true,
  selectiveCheckpointing: true,
  sequencesPerSample: true,
  sequenceParallel: true,
  expertTensorRanks: true,
  pipelineChunks: true,
  microBatches: true,
  distributedOptimizer: true,
  encoders: true,
  referenceModel: true,
  head: true,
  kvCache: true,
  logitsToKeep: true,
  generatedTokens: true,
  completionTokens: true,
  rolloutRows: true,
  scoredRows: true,
  targetTokens: true,
  staticCache: true,
  kvCacheDtype: true,
  memoryShare: true,
  maxSequences: true,
  prefillTokens: true,
  enforceEager: true,
  overridesLength: true,
  servedExtras: true,
  kernels: true,
  zeroBuffers: true,
  frames: true,
  audioSeconds: true,
  frozenParts: true,
  picturePixels: true,
  evaluationWrites: true,
  contrastive: true,
  checkpointSegments: true,
  precomputed: true,
  evaluates: true,
  averagedWeights: true,
  otherModels: true,
  valueModel: true,
  trainedParts: true,
  deviceMap: true,
  ggml: true,
  resumes: true,
  maxSteps: true,
  epochs: true,
  merges: true,
  expandableSegments: true,
};

/** True for the name of a detail. */
export const isDetailName = (name: string): name is DetailName => Object.hasOwn(details, name);

export const detailNames = Object.keys(details) as readonly DetailName[];

/** Facts that few runs have; omitted if nothing states them. */
export const rareDetails: ReadonlySet<DetailName> = new Set<DetailName>([
  'maxSteps',
  'epochs',
  'audioSeconds',
  'frozenParts',
  'picturePixels',
  'evaluationWrites',
  'contrastive',
  'averagedWeights',
  'overridesLength',
  'servedExtras',
]);
