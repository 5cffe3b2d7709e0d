import type { LossCode, Behavior } from '../../../src/core/memory/frameworks/behavior/behavior';
import { modelFromConfigJson } from '../../../src/core/models/fromConfig';
import { noFacts } from '../../../src/core/models/noFacts';
import { timmModel, torchvisionModel } from '../../../src/core/models/imageModels';
import type { ModelFacts } from '../../../src/core/models/model';
import type { Dtype, FrozenPart, Head, LoraSettings, Quantization } from '../../../src/core/spec/values';
import type { Measured } from './record';
import { statedRun } from './stated';
import type { StatedDetails, StatedQuantities } from './stated';

/**
 * Differences between the simulation on fake tensors and a real run (shared/memory/simulate.py): models are created
 * from their config without a checkpoint, its 4-bit layers have exactly torch's class (quantise4) and PEFT's layers
 * take their input unchanged, tensors are counted instead of torch's blocks, and cuBLAS is deliberately omitted.
 */
const simulator: Partial<Behavior> = {
  adaptersTakeInputAsIs: false,
  madeOfConfig: true,
  quantizesDerived: false,
  countsRests: false,
  workspaces: 0,
};

/** A line of `memory/simulated.jsonl` (fields: memory/simulate.md). */
export interface SimulatedRecord {
  readonly id: string;
  readonly model_type?: string;
  readonly torchvision?: string;
  readonly timm?: string;
  /** A UNet2DConditionModel of diffusers, over latents of `image_size`. */
  readonly unet?: 1;
  /** Another network of diffusers, by class; `image_size` is then in pixels, before any autoencoder. */
  readonly diffusers?: string;
  readonly frames?: number;
  readonly config: Readonly<Record<string, unknown>>;
  readonly head: string;
  readonly mode: 'train' | 'infer';
  readonly micro_batch_size: number;
  /** Rows of an evaluation batch after the last step. */
  readonly eval_batch_size?: number;
  readonly seq_len?: number;
  readonly image_size?: number | readonly [number, number];
  readonly target_len?: number;
  /** Waveform samples per row, at 16,000 per second. */
  readonly audio_samples?: number;
  readonly frozen_parts?: readonly FrozenPart[];
  readonly precision: string;
  readonly optimizer?: string;
  readonly lora?: SimulatedLora;
  readonly quantization?: 'nf4' | 'nf4_dq';
  readonly kbit_prepare?: true | 'norms';
  readonly autocast_extra?: string;
  readonly gradient_checkpointing?: boolean;
  readonly attention?: string;
  readonly padding_mask?: boolean;
  readonly loss?: string;
  readonly logits_to_keep?: number;
  readonly use_cache?: boolean;
  readonly bytes: Readonly<Record<string, number>>;
  readonly steady_peak_bytes?: number;
  readonly reserved_peak_bytes?: number;
  readonly versions: Readonly<Record<string, string>>;
}

interface SimulatedLora {
  readonly r: number;
  readonly targets: readonly string[] | 'all-linear';
  readonly dropout: number;
  /** Adapters on a 16-bit base are held in fp32. */
  readonly autocast: boolean;
}

/** Logits and labels are both sliced and copied, in every release. */
const SHIFTED: LossCode = { kind: 'cross-entropy', upcast: 'in the loss', shift: 'copies', kernel: 'torch' };

export function fromSimulated(record: SimulatedRecord): Measured {
  return {
    id: record.id,
    source: 'simulated',
    run: statedRun(
      record.id,
      { id: null, name: 'simulate.py', version: null, libraries: record.versions, stated: true },
      quantities(record),
      details(record),
    ),
    model: simulatedModel(record),
    target: null,
    metric: 'allocated',
    bytes: steadyPeak(record),
    devices: 1,
    groups: ['all', 'simulated', `simulated-${nameOf(record) ?? 'other'}`],
    behavior: record.loss === 'hf_shift_copy' ? { ...simulator, loss: SHIFTED } : simulator,
  };
}

const nameOf = ({ model_type: type, torchvision, timm, diffusers }: SimulatedRecord): string | undefined =>
  type ?? torchvision ?? timm ?? diffusers;

/** The largest amount in any phase except those of the first step. */
function steadyPeak({ bytes }: SimulatedRecord): number {
  return Math.max(...Object.entries(bytes).flatMap(([phase, at]) => (phase.endsWith('first') ? [] : [at])));
}

/** The config's keyword arguments, as a config.json that states them. */
function simulatedModel({
  id,
  unet,
  diffusers,
  model_type: type,
  torchvision,
  timm,
  config,
}: SimulatedRecord): ModelFacts | null {
  if (unet !== undefined) return unetModel(id, config);
  if (diffusers !== undefined) return networkOf(id, diffusers, config);
  if (torchvision !== undefined) return torchvisionModel(torchvision);
  if (timm !== undefined) return timmModel(timm);
  if (type === undefined) return null;
  const reading = modelFromConfigJson(id, JSON.stringify({ ...config, model_type: type }), 'config.json');
  return reading.ok ? reading.model : null;
}

/** Stable Diffusion's, with the record's channels. */
const UNET = {
  block_out_channels: [320, 640, 1280, 1280],
  transformer_layers_per_block: [1, 1, 1, 0],
  cross_attention_dim: 768,
  attention_heads: 8,
};

function unetModel(id: string, config: SimulatedRecord['config']): ModelFacts {
  return {
    ...noFacts,
    id,
    modelType: 'UNet2DConditionModel',
    kind: 'diffusion',
    extra: { ...UNET, ...config },
  };
}

const networkOf = (id: string, modelType: string, extra: SimulatedRecord['config']): ModelFacts => ({
  ...noFacts,
  id,
  modelType,
  kind: 'diffusion',
  extra,
});
/** Fields that few records have. */
function rarely({ image_size: side, unet, eval_batch_size: evaluated }: SimulatedRecord): StatedQuantities {
  return {
    ...(side === undefined ? {} : { imageSize: imageSize(side, unet) }),
    ...(evaluated === undefined ? {} : { evalBatchSize: evaluated }),
  };
}

/** A latent covers 8 × 8 pixels. */
function imageSize(
  side: NonNullable<SimulatedRecord['image_size']>,
  unet: 1 | undefined,
): readonly [number, number] {
  if (typeof side !== 'number') return side;
  const pixels = unet ? side * 8 : side;
  return [pixels, pixels];
}

function quantities(record: SimulatedRecord): StatedQuantities {
  const { lora, precision } = record;
  const amp = precision.startsWith('amp_');
  return {
    model: nameOf(record) ?? null,
    task: taskOf(record),
    method: lora ? (record.quantization ? 'qlora' : 'lora') : 'full',
    microBatchSize: record.micro_batch_size,
    ...(record.seq_len === undefined ? {} : { seqLen: record.seq_len }),
    gradAccum: 1,
    ...rarely(record),
    precision: amp ? precision.slice(4) : (record.autocast_extra ?? precision),
    loadDtype: loadDtype(record),
    quantization: record.quantization ? quantized(record) : null,
    optimizer: record.optimizer ?? 'none',
    gradientCheckpointing: record.gradient_checkpointing ?? false,
    attention: record.attention ?? null,
    lora: lora ? adapters(lora) : null,
    gpus: 1,
  };
}

const TASKS: Readonly<Record<string, string>> = {
  causal_lm: 'sft',
  masked_lm: 'mlm',
  base: 'embedding',
  seq_cls: 'sequence_classification',
  token_cls: 'token_classification',
  image_cls: 'image_classification',
  unet: 'denoising',
  denoiser: 'denoising',
  ctc: 'asr',
};

function taskOf({ mode, head }: SimulatedRecord): string {
  return mode === 'infer' ? 'infer' : (TASKS[head] ?? head);
}

const loadDtype = ({ precision }: SimulatedRecord): Dtype =>
  precision.startsWith('amp_') ? 'fp32' : (precision as Dtype);

function quantized(record: SimulatedRecord): Quantization {
  return {
    bits: 4,
    method: 'bnb',
    type: 'nf4',
    doubleQuant: record.quantization === 'nf4_dq',
    computeDtype: loadDtype(record),
    storageDtype: null,
  };
}

const adapters = ({ r, targets, dropout }: SimulatedLora): LoraSettings => ({
  r,
  alpha: null,
  dropout,
  targets,
  modulesToSave: [],
  rslora: false,
  dora: false,
});

const HEADS: Readonly<Record<string, Head>> = {
  causal_lm: 'causal-lm',
  base: 'base',
  masked_lm: 'masked-lm',
  seq_cls: 'sequence-classification',
  token_cls: 'token-classification',
  image_cls: 'image-classification',
  seq2seq: 'seq2seq',
  unet: 'denoiser',
  denoiser: 'denoiser',
  ctc: 'ctc',
};

function details(record: SimulatedRecord): StatedDetails {
  const head = HEADS[record.head];
  return {
    paddedRows: record.padding_mask ?? false,
    fixedLength: true,
    kbitPrepare: record.kbit_prepare === true ? 'all' : (record.kbit_prepare ?? 'none'),
    adapterDtype: record.lora?.autocast === false ? loadDtype(record) : 'fp32',
    autocast: record.precision.startsWith('amp_') || record.autocast_extra !== undefined,
    reentrantCheckpointing: false,
    ...(record.eval_batch_size === undefined ? {} : { evaluates: true }),
    ...(head && { head }),
    ...(record.target_len === undefined ? {} : { targetTokens: record.target_len }),
    ...(record.audio_samples === undefined ? {} : { audioSeconds: record.audio_samples / 16_000 }),
    ...(record.frozen_parts === undefined ? {} : { frozenParts: record.frozen_parts }),
    ...(record.frames === undefined ? {} : { frames: record.frames }),
    ...(record.use_cache === undefined ? {} : { kvCache: record.use_cache }),
    ...(record.logits_to_keep === undefined ? {} : { logitsToKeep: record.logits_to_keep }),
  };
}
