import type { DetailName, QuantityName } from '../../spec/values';

/** Kinds of row values. */
export const rowKinds = [
  'word',
  'words',
  'flag',
  'count',
  'countOrNone',
  'number',
  'size',
  'devices',
  'precision',
  'dtype',
  'method',
  'head',
  'bits',
  'stage',
  'none',
  'lora',
  'quantization',
  'fsdp',
  'offload',
  'parallel',
  'text',
  'any',
  'written',
  'split',
  'amp',
  'negated',
  'autoCount',
  'overlaidCount',
  'overlaidWord',
  'heightWidth',
  'widthHeight',
  'largestSide',
  'indices',
  'listLength',
  'largestOf',
  'largestCount',
  'sum',
  'countOrAuto',
  'countOrAll',
  'countUnlessAll',
  'deviceKind',
  'withoutSchedule',
  'mixed',
  'lightningDevices',
  'lightningPrecision',
] as const;

export type RowKind = (typeof rowKinds)[number];

interface RowName {
  readonly kind: RowKind;
  /** A description for users. */
  readonly text: string;
}

/** Settings of adapters and quantized weights that together form a quantity. */
type PartName = 'lora.r' | 'lora.alpha' | 'lora.dropout' | 'lora.targets' | 'quantization.bits';

/** Rows for quantities. */
export const quantityRows: Readonly<Partial<Record<QuantityName | PartName, RowName>>> = {
  model: { kind: 'word', text: 'The model’s name on the hub, or its folder.' },
  task: { kind: 'word', text: 'The task: sft, pretrain, dpo, contrastive_embedding, embed, infer …' },
  method: { kind: 'method', text: 'full, lora, qlora, freeze or prompt.' },
  microBatchSize: {
    kind: 'count',
    text: 'Samples of one step on one GPU; with scope global, over all GPUs.',
  },
  gradAccum: { kind: 'count', text: 'Steps whose gradients are summed before the optimizer steps.' },
  globalBatchSize: { kind: 'count', text: 'Samples of one optimizer step over all GPUs.' },
  effectiveBatch: { kind: 'count', text: 'Samples of one optimizer step, if the config states it.' },
  seqLen: { kind: 'count', text: 'Maximum number of tokens per sample.' },
  packing: { kind: 'flag', text: 'Samples are packed into rows of the full length.' },
  imageSize: { kind: 'size', text: 'Pixels of an image: one side, or two.' },
  precision: {
    kind: 'precision',
    text: 'Compute precision: fp32, bf16, fp16, fp8; -mixed with fp32 weights.',
  },
  precisionRaw: { kind: 'word', text: 'The precision as the file writes it.' },
  loadDtype: { kind: 'dtype', text: 'The dtype of the weights.' },
  optimizer: {
    kind: 'word',
    text: 'The optimizer, as PyTorch or transformers name it: adamw_torch, adamw_8bit …',
  },
  gradientCheckpointing: { kind: 'flag', text: 'Activations are computed again in the backward pass.' },
  attention: { kind: 'word', text: 'sdpa, flash_attention_2 or eager.' },
  loss: { kind: 'word', text: 'How logits become the loss.' },
  zeroStage: { kind: 'stage', text: 'DeepSpeed’s ZeRO: 0 to 3.' },
  fsdp: {
    kind: 'fsdp',
    text: 'Sharding by FSDP: version, strategy, offloadParams, activationCheckpointing; null: none.',
  },
  offload: {
    kind: 'offload',
    text: 'What is kept in the host’s memory: param, optimizer, activations; null: nothing.',
  },
  parallel: {
    kind: 'parallel',
    text: 'Ranks that share a model: tensor, context, pipeline, expert, dataShard, dataReplicate; null: none.',
  },
  gpus: { kind: 'count', text: 'GPUs in all.' },
  nodes: { kind: 'count', text: 'Machines.' },
  devices: { kind: 'devices', text: 'GPUs of a machine: a number, a list of indices, `cuda:1`, auto.' },
  accelerator: { kind: 'word', text: 'cuda, cpu, mps …' },
  strategy: { kind: 'word', text: 'How several GPUs share the work: ddp, fsdp …' },
  evalBatchSize: { kind: 'count', text: 'Samples of one step of evaluation on one GPU.' },
  numWorkers: { kind: 'countOrNone', text: 'Processes that load data.' },
  compile: { kind: 'flag', text: 'The model is compiled.' },
  lora: {
    kind: 'lora',
    text: 'Adapters: r, alpha, dropout, targets and so on; or the rows `lora.r` …; null: none.',
  },
  quantization: {
    kind: 'quantization',
    text: 'Quantized base weights: bits, method, type and so on; or the row `quantization.bits`; null: none.',
  },
  'lora.r': { kind: 'count', text: 'Rank of the adapters.' },
  'lora.alpha': { kind: 'number', text: 'Scale of the adapters.' },
  'lora.dropout': { kind: 'number', text: 'Dropout before the adapters.' },
  'lora.targets': { kind: 'words', text: 'Modules with adapters, or all-linear.' },
  'quantization.bits': { kind: 'bits', text: 'Bits of the base weights: 4 or 8; null: not quantized.' },
};

/** Rows for details, which only the memory model needs. */
export const detailRows: Readonly<Record<DetailName, RowName>> = {
  paddedRows: { kind: 'flag', text: 'Rows of a batch differ in length and are padded.' },
  fixedLength: { kind: 'flag', text: 'Rows are padded to the full length: every batch has the same shape.' },
  adapterDtype: { kind: 'dtype', text: 'The dtype of adapters.' },
  trainedDtype: { kind: 'dtype', text: 'The dtype that trained weights are cast to after loading.' },
  checkpointDtype: { kind: 'flag', text: 'Weights keep the checkpoint’s dtype.' },
  autocast: { kind: 'flag', text: 'The forward pass runs under autocast.' },
  fp32Embeddings: { kind: 'flag', text: 'Norms and embeddings are in fp32.' },
  optimizerInBackward: { kind: 'flag', text: 'The optimizer steps while backward runs.' },
  fusedOptimizer: { kind: 'flag', text: 'The optimizer’s step is one kernel.' },
  reentrantCheckpointing: { kind: 'flag', text: 'Checkpointing is PyTorch’s reentrant one.' },
  sequencesPerSample: { kind: 'count', text: 'Sequences that the model encodes for a sample.' },
  encoders: { kind: 'count', text: 'Copies of the model that are trained side by side.' },
  referenceModel: { kind: 'flag', text: 'A second, frozen copy of the model is on the GPU.' },
  head: { kind: 'head', text: 'The model’s head: causal-lm, base, sequence-classification …' },
  kvCache: { kind: 'flag', text: 'Keys and values stay after the forward pass.' },
  logitsToKeep: { kind: 'count', text: 'Last tokens of a row that logits are computed for.' },
  generatedTokens: { kind: 'count', text: 'Tokens of the length that are generated.' },
  completionTokens: { kind: 'count', text: 'Tokens of the length that the model has written itself.' },
  rolloutRows: { kind: 'count', text: 'Rows that the model writes at a time.' },
  targetTokens: { kind: 'count', text: 'Tokens of a row of targets.' },
  staticCache: { kind: 'flag', text: 'Memory for all keys and values is allocated at once.' },
  kvCacheDtype: { kind: 'dtype', text: 'The dtype of keys and values.' },
  memoryShare: { kind: 'number', text: 'Share of the GPU that a serving engine takes.' },
  maxSequences: { kind: 'count', text: 'Sequences that a serving engine processes at a time.' },
  prefillTokens: { kind: 'count', text: 'Tokens that a serving engine computes in one forward pass.' },
  enforceEager: { kind: 'flag', text: 'A serving engine captures no CUDA graphs.' },
  overridesLength: { kind: 'flag', text: 'Sequences may be longer than the model’s positions.' },
  frames: { kind: 'count', text: 'Frames of a video.' },
  precomputed: { kind: 'flag', text: 'Latents and text embeddings are computed before training.' },
  unlimitedLength: { kind: 'flag', text: 'Rows are not truncated: the longest sample sets the peak.' },
  audioSeconds: { kind: 'number', text: 'Seconds of audio in a row.' },
  evaluates: { kind: 'flag', text: 'Training is interrupted for evaluation.' },
  kbitPrepare: {
    kind: 'word',
    text: 'Weights that are cast to fp32 before k-bit training: all, norms or none.',
  },
  selectiveCheckpointing: {
    kind: 'any',
    text: '`operations`: layers keep results that are costly to recompute; a number n: every n-th layer is checkpointed.',
  },
  sequenceParallel: { kind: 'flag', text: 'Tensor ranks share the tokens between products, too.' },
  expertTensorRanks: { kind: 'count', text: 'Ranks that split the width of each expert.' },
  pipelineChunks: { kind: 'count', text: 'Parts of a pipeline’s layers that each rank has.' },
  microBatches: { kind: 'count', text: 'Micro-batches of a step in a pipeline.' },
  distributedOptimizer: { kind: 'flag', text: 'Ranks share the optimizer states.' },
  scoredRows: { kind: 'count', text: 'Rows whose logits are kept while they are written.' },
  kernels: { kind: 'words', text: 'Fused kernels in place of the model’s own code.' },
  zeroBuffers: { kind: 'none', text: 'Sizes of ZeRO’s buffers; by the rule zeroBuffers.' },
  checkpointSegments: { kind: 'none', text: '`width` of every `stride` blocks are checkpointed.' },
  evaluationWrites: { kind: 'none', text: 'Tokens and beams that evaluation generates: tokens, beams.' },
  contrastive: { kind: 'none', text: 'How training compares embeddings.' },
  frozenParts: { kind: 'words', text: 'Parts of the model that are frozen.' },
  picturePixels: { kind: 'count', text: 'Pixels of an image in a row, at most.' },
  averagedWeights: { kind: 'flag', text: 'A smoothed copy of all weights is on the GPU.' },
  otherModels: {
    kind: 'none',
    text: 'Other models on the GPU that are not trained: a list of role and model.',
  },
  valueModel: { kind: 'flag', text: 'PPO uses a separate value model.' },
  trainedParts: { kind: 'none', text: 'The trained parts if parts of the base are frozen.' },
  deviceMap: { kind: 'none', text: 'How a model is spread over devices; by the rule deviceMap.' },
  ggml: { kind: 'none', text: 'Settings of llama.cpp.' },
  resumes: { kind: 'flag', text: 'Training resumes from a checkpoint.' },
  expandableSegments: { kind: 'flag', text: 'The CUDA allocator uses expandable segments.' },
  maxSteps: { kind: 'number', text: 'Optimizer steps at most.' },
  epochs: { kind: 'number', text: 'Passes over the data.' },
  merges: { kind: 'word', text: 'Where adapters are merged into the weights: gpu or cpu.' },
};

const all: Readonly<Record<string, RowName | undefined>> = { ...quantityRows, ...detailRows };

export const rowNames: readonly string[] = Object.keys(all);

/** The description of a row; null if there is no such row. */
export const rowNamed = (name: string): RowName | null =>
  Object.hasOwn(all, name) ? (all[name] ?? null) : null;
