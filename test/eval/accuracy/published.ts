import type { GpuSource } from '../../../src/core/hardware/match';
import type { ModelCatalog } from '../../../src/core/models/catalog';
import type { Head, OffloadSettings, Quantization } from '../../../src/core/spec/values';
import { parseTarget } from '../../../src/core/hardware/target';
import type { ModelFacts } from '../../../src/core/models/model';
import type { Target } from '../../../src/core/hardware/gpu';
import { trainedSize } from './denoising';
import { detectorIn, segmenterIn } from './detectors';
import { frameworkOf } from './frameworks';
import { gpuCount, groupsOf, parallelOf, pipelineOf } from './parallel';
import {
  fusedKernels,
  isLossKernel,
  LIGER_KERNELS,
  lossKernelIn,
  pluginBehavior,
  repeatedPasses,
} from './lossKernels';
import { lengthsIn } from './lengths';
import { loraOf } from './lora';
import { lossAlone } from './lossAlone';
import { quotedDetails, quotedModel, quotedQuantities } from './megatron';
import { measuredIn } from './metrics';
import { namedModel } from './models';
import { citedDetails, citedStage } from './recipes';
import { flagsOf } from './publishedRecord';
import type { PublishedRecord } from './publishedRecord';
import type { Measured } from './record';
import { statedRun } from './stated';
import type { StatedDetails, StatedQuantities } from './stated';
import { lossOf, methodOf, sumsLogits, taskOf, usesLiger } from './tasks';
import { completionIn, tokensOf } from './tokens';
import { numbersOf, optimizerOf, quantizationOf } from './words';

/** `224x224`, `512x512 crop`, `image batch ~1048x640`: width and height in a record of images. */
const SIZE = /(\d{2,4})x(\d{2,4})(?! ?(?:\(|max))/;

/** Images in a detector's dataset vary: the longest sides in a record are not a size. */
const VARYING = 'COCO';

function imageSizeOf({ task, seq_layout: layout }: PublishedRecord): StatedQuantities {
  if (!task.startsWith('vision') || layout === null || layout.startsWith(VARYING)) return {};
  const [, width, height] = SIZE.exec(layout) ?? [];
  return width && height ? { imageSize: [Number(width), Number(height)] } : {};
}

/** `49 frames x 480 x 720`, `49x512x768 video`, `81x768x1360`: frames, height, width. */
const VIDEO = /(\d+)(?: frames)? ?x ?(\d+) ?x ?(\d+)/;
/** `256x256 images` */
const IMAGE = /(\d+) ?x ?(\d+) images/;

/** The size of a frame or image in a layout. */
function frameSize({ task, seq_layout: layout }: PublishedRecord): StatedQuantities {
  if (!task.startsWith('diffusion')) return {};
  const video = VIDEO.exec(layout ?? '');
  if (video) return { imageSize: [Number(video[3]), Number(video[2])] };
  const image = IMAGE.exec(layout ?? '');
  return image ? { imageSize: [Number(image[1]), Number(image[2])] } : {};
}

/** The number of frames, and whether latents and texts were encoded beforehand. */
function videoIn({ task, seq_layout: layout, metric, assumptions }: PublishedRecord): StatedDetails {
  if (!task.startsWith('diffusion')) return {};
  const frames = VIDEO.exec(layout ?? '')?.[1];
  const around = [layout, metric, ...(assumptions ?? [])].join(' ');
  return {
    ...(frames !== undefined && { frames: Number(frames) }),
    precomputed: /precomputed|cached|not resident/.test(around),
  };
}

/** Frameworks whose recipes checkpoint by default: torchtune's, `enable_activation_checkpointing: True`. */
const BY_DEFAULT = /^torchtune/i;

/** A record's checkpointing; by default that of the framework's recipes. */
function checkpointingOf(record: PublishedRecord): StatedQuantities {
  const { gradient_checkpointing: stated, framework, task } = record;
  if (typeof stated === 'boolean') return { gradientCheckpointing: stated };
  if (SOME.test(stated)) return { gradientCheckpointing: true };
  return BY_DEFAULT.test(framework) && task !== 'inference' ? { gradientCheckpointing: true } : {};
}

const SOME = /^(?:full|selective|every|segments|default policy \(SAC)/;

/** Which layers, or which operations' outputs, a record says are kept. */
function selectionOf({ gradient_checkpointing: stated }: PublishedRecord): StatedDetails {
  if (typeof stated === 'boolean') return {};
  const every = /^every (\d+)(?! blocks)/.exec(stated)?.[1];
  if (every !== undefined) return { selectiveCheckpointing: Number(every) };
  return /^selective|SAC/.test(stated) ? { selectiveCheckpointing: 'operations' } : {};
}

/** `every 2 blocks (segment)`, `segments of 2 every 4 blocks` */
function segmentsOf({
  gradient_checkpointing: stated,
}: PublishedRecord): StatedDetails['checkpointSegments'] {
  const [, width, stride = width] =
    /^(?:segments of|every) (\d+)(?: every (\d+))? blocks/.exec(String(stated)) ?? [];
  return width === undefined ? undefined : { width: Number(width), stride: Number(stride) };
}

const GIB = 2 ** 30;

/** `unit`: bytes of the record's unit. */
export function fromPublished(
  record: PublishedRecord,
  models: ModelCatalog,
  gpus: GpuSource,
  unit = GIB,
): Measured {
  const model =
    quotedModel(record) ?? lossKernelIn(record) ?? namedModel(record.model, models) ?? pictured(record);
  return {
    id: record.id,
    source: record.group,
    run: statedRun(record.id, frameworkOf(record), quantities(record, model), details(record)),
    model,
    target: targetOf(record, gpus),
    ...measuredIn(record),
    bytes: record.measured_gib_best * unit,
    devices: record.scope.startsWith('sum') ? (gpuCount(record) ?? 1) : 1,
    groups: groupsOf(record),
    ...(isLossKernel(record) && { architecture: lossAlone }),
    ...pluginBehavior(record),
  };
}

/** An image network that a record describes in words. */
const pictured = ({ model, framework, seq_layout: layout }: PublishedRecord): ModelFacts | null =>
  detectorIn(model, framework.startsWith('detectron2')) ?? segmenterIn(model, layout);

function targetOf(record: PublishedRecord, gpus: GpuSource): Target | null {
  const reading = parseTarget(record.gpu_name, gpus, { count: gpuCount(record), nodes: 1 });
  return reading.ok ? withContext(reading.target, record.metric ?? '') : null;
}

/** A separately measured context: `includes CUDA context 1343 MB`. */
function withContext(target: Target, words: string): Target {
  const stated = /CUDA context (\d+) MB/.exec(words)?.[1];
  if (stated === undefined || target.gpu === null) return target;
  return { ...target, gpu: { ...target.gpu, contextMiB: Number(stated) } };
}

/** An optimizer that is itself on the host has its own name. */
function offloadOf({ offload, quote }: PublishedRecord, optimizer: string | null): OffloadSettings | null {
  if (offload.startsWith('none') || optimizer?.startsWith('cpu_offload')) return null;
  const rest = (quote ?? '').includes('with offloading') ? 'cpu' : 'none';
  if (offload.startsWith('activations')) return { param: rest, optimizer: rest, activations: 'cpu' };
  return { param: 'cpu', optimizer: 'cpu' };
}

function quantities(record: PublishedRecord, model: ModelFacts | null): StatedQuantities {
  const numbers = numbersOf(record.precision);
  const { micro_batch_size: rows } = record;
  const optimizer = optimizerOf(record.optimizer);
  return {
    model: record.model,
    task: sumsLogits(record) ? 'a pass without a loss' : taskOf(record.task),
    method: methodOf(record.task),
    ...(rows !== null && { microBatchSize: rows }),
    ...lengthOf(record),
    ...trainedSize(record),
    ...frameSize(record),
    ...imageSizeOf(record),
    gradAccum: record.grad_accum ?? 1,
    ...repeatedPasses(record),
    packing: record.seq_layout === 'packed',
    ...(numbers.loadDtype && { loadDtype: numbers.loadDtype }),
    ...(numbers.precision && { precision: numbers.precision }),
    quantization: quantized(record),
    ...(optimizer !== null && { optimizer }),
    ...checkpointingOf(record),
    attention: attentionOf(record.attention_impl),
    ...lossOf(record),
    ...(record.extra?.['compile'] === true && { compile: true }),
    lora: loraOf(record, model),
    ...parallelOf(record),
    ...citedStage(record),
    ...quotedQuantities(record),
    offload: offloadOf(record, optimizer),
  };
}

/** Axolotl's `quantize_moe_experts` */
function quantized(record: PublishedRecord): Quantization | null {
  const { quantization, precision, framework } = record;
  const stated = quantizationOf(quantization, `${precision} ${framework}`);
  return stated && flagsOf(record.extra)['quantize_moe_experts'] === 'true'
    ? { ...stated, experts: true }
    : stated;
}

/** The first word; attention that materializes all scores is eager whatever its name. */
function attentionOf(words: string | null): string | null {
  if (words !== null && /unfused|full score matrix/.test(words)) return 'eager';
  if (words !== null && /^TE |^fused/.test(words)) return 'flash';
  return words?.split(/[ /]/)[0] ?? null;
}

function details(record: PublishedRecord): StatedDetails {
  const { autocast, adapterDtype } = numbersOf(record.precision);
  const kernels =
    typeof record.extra?.['framework_config'] === 'string' ? record.extra['framework_config'] : '';
  const segments = segmentsOf(record);
  return {
    ...wordsIn(record),
    ...(segments && { checkpointSegments: segments }),
    ...generationIn(record),
    ...selectionOf(record),
    ...videoIn(record),
    ...pipelineOf(record),
    ...quotedDetails(record),
    ...citedDetails(record),
    ...(autocast !== undefined && { autocast: autocast || isTrainers(record) }),
    ...(adapterDtype && { adapterDtype }),
    ...(record.framework.includes('prepare_model_for_kbit') ? { kbitPrepare: 'norms' as const } : {}),
    ...(usesLiger(record.extra) && { kernels: LIGER_KERNELS }),
    ...(kernels.includes('foak') && { kernels: fusedKernels(kernels) }),
  };
}

/** Trainers compute under autocast, so their records' compute dtype is that. */
const isTrainers = ({ framework, precision }: PublishedRecord): boolean =>
  /SFTTrainer|GRPOTrainer|DPOTrainer/.test(framework) && /^\w+16 compute/.test(precision);

/** The layout, model and optimizer that a record describes in words. */
function wordsIn({ seq_layout: layout, model, optimizer }: PublishedRecord): StatedDetails {
  const words = layout ?? '';
  const head = HEADS.find(([pattern]) => pattern.test(model))?.[1];
  return {
    ...(head && { head }),
    ...(/packed|no padding|dummy data|padding-free/.test(words) && { paddedRows: false }),
    ...(/packed|no padding|dummy data|max_length|max_len\b|padded to (?:stated|model)/.test(words) && {
      fixedLength: true,
    }),
    ...(optimizer?.includes('fused in backward') && { optimizerInBackward: true }),
  };
}

function lengthOf(record: PublishedRecord): StatedQuantities {
  const found = lengthsIn(record);
  const length = found ? found.prompt + found.generated : tokensOf(record);
  return length === null ? {} : { seqLen: length };
}

function generationIn(record: PublishedRecord): StatedDetails {
  const found = lengthsIn(record);
  const completion = completionIn(record);
  return {
    ...(completion !== null && { completionTokens: completion }),
    ...(found && { generatedTokens: found.generated }),
    ...(record.extra?.['kv_cache'] === 'int8' && { kvCacheDtype: 'int8' as const }),
  };
}
/** The class that a record names besides its model. */
const HEADS: readonly (readonly [RegExp, Head])[] = [
  [/ForSequenceClassification/, 'sequence-classification'],
  [/ForTokenClassification/, 'token-classification'],
  [/ForMaskedLM/, 'masked-lm'],
];
