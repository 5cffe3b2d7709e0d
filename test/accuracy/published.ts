import type { GpuSource } from '../../src/core/ports';
import type { Metric } from '../../src/core/memory/estimate';
import type { ModelCatalog } from '../../src/core/models/catalog';
import type { Framework } from '../../src/core/spec/runSpec';
import type { Head, LoraSettings, Method } from '../../src/core/spec/values';
import { parseTarget } from '../../src/core/hardware/target';
import type { ModelFacts } from '../../src/core/models/model';
import type { Target } from '../../src/core/hardware/gpu';
import { namedModel } from './models';
import { lengthsIn } from './lengths';
import type { Measured } from './record';
import { releasesIn } from './releases';
import { statedRun } from './stated';
import type { StatedDetails, StatedQuantities } from './stated';
import { tokensOf } from './tokens';
import { numbersOf, optimizerOf, quantizationOf } from './words';

/** A line of `memory/published.jsonl`. */
export interface PublishedRecord {
  readonly id: string;
  readonly source_url_or_repo_path: string;
  readonly task: string;
  readonly framework: string;
  readonly model: string;
  readonly precision: string;
  readonly quantization: string | null;
  readonly optimizer: string | null;
  readonly micro_batch_size: number | null;
  readonly seq_len: number | null;
  readonly seq_layout: string | null;
  readonly assumptions?: readonly string[];
  readonly grad_accum: number | null;
  readonly gradient_checkpointing: boolean | string;
  readonly attention_impl: string | null;
  readonly lora: PublishedLora | null;
  readonly parallelism: Readonly<Record<string, unknown>> | null;
  readonly offload: string;
  readonly gpu_name: string;
  readonly completeness: 'A' | 'B' | 'C';
  readonly scope: string;
  readonly measured_gib_best: number;
  readonly metric?: string;
  readonly metric_class: string;
  readonly group: string;
  readonly extra?: Readonly<Record<string, unknown>>;
}

interface PublishedLora {
  readonly r?: number;
  readonly alpha?: number;
  readonly dropout?: number;
  readonly targets?: readonly string[] | string | null;
  readonly modules_to_save?: readonly string[] | null;
  readonly method?: string;
  readonly use_dora?: boolean;
  readonly trainable_params?: number;
}

const GIB = 2 ** 30;

export function fromPublished(record: PublishedRecord, models: ModelCatalog, gpus: GpuSource): Measured {
  const model = namedModel(record.model, models);
  return {
    id: record.id,
    source: record.group,
    run: statedRun(record.id, frameworkOf(record), quantities(record, model), details(record)),
    model,
    target: targetOf(record, gpus),
    ...measuredIn(record),
    bytes: record.measured_gib_best * GIB,
    devices: record.scope.startsWith('sum') ? (gpuCount(record) ?? 1) : 1,
    groups: groupsOf(record),
  };
}

/** A figure that is said to leave the prompt's pass out is what generation holds. */
function measuredIn({ metric, metric_class: words }: PublishedRecord): Pick<Measured, 'metric' | 'phase'> {
  return metric?.includes('prefill transients are NOT in the figure')
    ? { metric: 'allocated', phase: 'generation' }
    : { metric: metricOf(words) };
}

/** What torch counts without saying how is taken for allocated, torch's first number; unknown tools for reserved. */
function metricOf(words: string): Metric {
  if (words === 'torch allocated' || words.startsWith('torch (')) return 'allocated';
  return words.startsWith('device') ? 'device' : 'reserved';
}

function targetOf(record: PublishedRecord, gpus: GpuSource): Target | null {
  const reading = parseTarget(record.gpu_name, gpus, { count: gpuCount(record), nodes: 1 });
  return reading.ok ? reading.target : null;
}

/** `litgpt (8641822, torch 2.1.0+cu121, bitsandbytes 0.41.1)`: the name, and releases of what is named with one. */
export function frameworkOf(record: PublishedRecord): Framework {
  const { framework, extra } = record;
  const libraries = releasesIn(framework);
  const own = extra?.['framework_config'] === undefined ? nameIn(framework) : 'fms-acceleration';
  const stated = libraries['transformers'] !== undefined;
  return { name: own, version: libraries[own] ?? null, libraries, stated };
}

const NAMES: readonly (readonly [RegExp, string])[] = [
  [/^litgpt/i, 'litgpt'],
  [/^autoawq/i, 'autoawq'],
  [/axolotl/i, 'axolotl'],
  [/torchtune/i, 'torchtune'],
  [/trl|sfttrainer/i, 'trl'],
  [/trainer/i, 'transformers'],
  [/^peft method_comparison/i, 'peft-benchmark'],
  [/^transformers/i, 'transformers-bare'],
];

function nameIn(words: string): string {
  return NAMES.find(([pattern]) => pattern.test(words))?.[1] ?? words;
}

function quantities(record: PublishedRecord, model: ModelFacts | null): StatedQuantities {
  const numbers = numbersOf(record.precision);
  const { gradient_checkpointing: checkpointing, micro_batch_size: rows } = record;
  const optimizer = optimizerOf(record.optimizer);
  return {
    model: record.model,
    task: sumsLogits(record) && isEncoderRun(record) ? 'mlm' : taskOf(record.task),
    method: methodOf(record.task),
    ...(rows !== null && { microBatchSize: rows }),
    ...lengthOf(record),
    gradAccum: record.grad_accum ?? 1,
    packing: record.seq_layout === 'packed',
    ...(numbers.loadDtype && { loadDtype: numbers.loadDtype }),
    ...(numbers.precision && { precision: numbers.precision }),
    quantization: quantizationOf(record.quantization, `${record.precision} ${record.framework}`),
    ...(optimizer !== null && { optimizer }),
    ...(typeof checkpointing === 'boolean' && { gradientCheckpointing: checkpointing }),
    attention: attentionOf(record.attention_impl),
    ...lossOf(record),
    lora: loraOf(record, model),
    ...parallelOf(record),
    // An optimizer that lives on the host itself is named as such.
    offload:
      record.offload.startsWith('none') || optimizer?.startsWith('cpu_offload')
        ? null
        : { param: 'cpu', optimizer: 'cpu' },
  };
}

/** The first word; attention that is said to make every score is eager whatever its name. */
function attentionOf(words: string | null): string | null {
  return words?.includes('full score matrix') ? 'eager' : (words?.split(/[ /]/)[0] ?? null);
}

const TASKS: readonly (readonly [RegExp, string])[] = [
  [/^(?:full-finetune|lora|qlora|freeze|peft-other|adapter \(peft-other\))$/, 'sft'],
  [/^pretrain$/, 'pretrain'],
  [/^fwd\+bwd/, 'sft'],
  [/^inference$/, 'infer'],
  [/^embedding$/, 'embed'],
  [/^model-load$/, 'load'],
  [/^encoder-train/, 'embedding'],
  [/^vision-(?:cnn-)?train/, 'image_classification'],
  [/^vision-inference/, 'infer'],
  [/-dpo$/, 'dpo'],
];

const taskOf = (task: string): string => TASKS.find(([pattern]) => pattern.test(task))?.[1] ?? task;

function methodOf(task: string): Method {
  if (/^adapter|^peft-other$/.test(task)) return 'lora';
  return task.startsWith('qlora') ? 'qlora' : task.startsWith('lora') ? 'lora' : 'full';
}

/** A loss that the record names; forward and backward without an optimizer was `logits.sum().backward()`. */
function lossOf(record: PublishedRecord): StatedQuantities {
  const { task, framework, extra } = record;
  const kernels = typeof extra?.['framework_config'] === 'string' ? extra['framework_config'] : '';
  if (task.startsWith('fwd+bwd') || sumsLogits(record)) return { loss: 'sum-of-logits' };
  if (extra?.['cce_plugin'] === true) return { loss: 'cut_cross_entropy' };
  if (usesLiger(extra) || /liger/i.test(framework) || kernels.endsWith('liger')) return { loss: 'liger' };
  return kernels.includes('foak') ? { loss: 'unsloth_cross_entropy' } : {};
}

/** It says that logits were summed: the model had a head over its words. */
const sumsLogits = ({ assumptions }: PublishedRecord): boolean =>
  assumptions?.some(words => words.includes('sum(logits)')) ?? false;

const isEncoderRun = ({ task }: PublishedRecord): boolean => task.startsWith('encoder-train');

const usesLiger = (extra: PublishedRecord['extra']): boolean =>
  extra?.['liger'] === true || extra?.['liger_plugin'] === true;

/** What TRL's ModelConfig, fms-hf-tuning and litgpt's finetune/lora.py set when nothing is said; PEFT's own default is none. */
const SFT_DROPOUT = 0.05;

/** Projections as records abbreviate them. */
const SHORT_NAMES = new Set(['q', 'k', 'v', 'o', 'gate', 'up', 'down']);

function loraOf({ lora, framework }: PublishedRecord, model: ModelFacts | null): LoraSettings | null {
  if (lora === null) return null;
  const method = lora.method?.toLowerCase() ?? 'lora';
  return {
    ...(method !== 'lora' && { method }),
    r: virtualTokens(lora, model) ?? lora.r ?? null,
    alpha: lora.alpha ?? null,
    dropout: lora.dropout ?? (/SFTTrainer|^litgpt/.test(framework) ? SFT_DROPOUT : null),
    targets: targetsOf(lora),
    modulesToSave: lora.modules_to_save ?? [],
    rslora: false,
    dora: lora.use_dora ?? false,
  };
}

/** Prompt tuning trains an embedding for each virtual token, and nothing else. */
function virtualTokens(
  { method, trainable_params: trained }: PublishedLora,
  model: ModelFacts | null,
): number | null {
  if (method !== 'PROMPT_TUNING' || trained === undefined || model === null) return null;
  return trained / model.hiddenSize;
}

/** What torchtune calls them. */
const OWN_NAMES: Readonly<Record<string, readonly string[]>> = {
  mlp: ['gate_proj', 'up_proj', 'down_proj'],
  output_proj: ['o_proj'],
};

function targetsOf({ targets }: PublishedLora): LoraSettings['targets'] {
  if (targets === undefined || targets === null) return null;
  const named = typeof targets === 'string' ? [targets] : targets;
  if (named.length === 1 && named[0] === 'all-linear') return 'all-linear';
  return named.flatMap(name => (SHORT_NAMES.has(name) ? `${name}_proj` : (OWN_NAMES[name] ?? name)));
}

function gpuCount({ parallelism }: PublishedRecord): number | null {
  const gpus = parallelism?.['gpus'];
  return typeof gpus === 'number' ? gpus : null;
}

/** How a run is spread over GPUs: anything beside plain replicas is stated so that it can be refused. */
function parallelOf(record: PublishedRecord): StatedQuantities {
  const { fsdp, zero_stage: zero, tp, pp, cp, ep, mode } = record.parallelism ?? {};
  const degree = (value: unknown): number => (typeof value === 'number' ? value : 1);
  const gpus = gpuCount(record);
  const inTurn = typeof mode === 'string' && /device_map|sequential/.test(mode);
  return {
    ...(gpus !== null && { gpus }),
    ...(fsdp && gpus !== 1
      ? {
          fsdp: { version: null, strategy: 'FULL_SHARD', offloadParams: null, activationCheckpointing: null },
        }
      : {}),
    ...(zero === 1 || zero === 2 || zero === 3 ? { zeroStage: zero } : {}),
    parallel: {
      tensor: degree(tp),
      pipeline: inTurn ? degree(gpus) : degree(pp),
      context: degree(cp),
      expert: degree(ep),
      dataShard: null,
      dataReplicate: null,
    },
  };
}

function details(record: PublishedRecord): StatedDetails {
  const { autocast, adapterDtype } = numbersOf(record.precision);
  const kernels =
    typeof record.extra?.['framework_config'] === 'string' ? record.extra['framework_config'] : '';
  return {
    ...wordsIn(record),
    ...generationIn(record),
    ...(autocast !== undefined && { autocast }),
    ...(adapterDtype && { adapterDtype }),
    ...(record.framework.includes('prepare_model_for_kbit') ? { kbitPrepare: 'norms' as const } : {}),
    ...(usesLiger(record.extra) && { kernels: LIGER_KERNELS }),
    ...(kernels.includes('foak') && { kernels: fusedKernels(kernels) }),
  };
}

/** What layout, model and optimizer are said to be in words. */
function wordsIn({ seq_layout: layout, model, optimizer }: PublishedRecord): StatedDetails {
  const words = layout ?? '';
  const head = HEADS.find(([pattern]) => pattern.test(model))?.[1];
  return {
    ...(head && { head }),
    ...(/packed|no padding|dummy|padding-free/.test(words) && { paddedRows: false }),
    ...(/max_length|max_len\b|padded to (?:stated|model)/.test(words) && { fixedLength: true }),
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
  return {
    ...(found && { generatedTokens: found.generated }),
    ...(record.extra?.['kv_cache'] === 'int8' && { kvCacheDtype: 'int8' as const }),
  };
}
/** The class that a record names beside its model. */
const HEADS: readonly (readonly [RegExp, Head])[] = [
  [/ForSequenceClassification/, 'sequence-classification'],
  [/ForTokenClassification/, 'token-classification'],
  [/ForMaskedLM/, 'masked-lm'],
];

/** What Liger puts in by default. */
const LIGER_KERNELS = ['liger_glu', 'liger_rms_norm', 'liger_rope'];

/** fms-acceleration's kernels (configs/fast_*.yaml): loss, RMSNorm and RoPE; for 4-bit bases LoRA, too. */
function fusedKernels(config: string): readonly string[] {
  const all = ['unsloth_rms_norm', 'unsloth_rope'];
  return config.includes('accelerated-peft') ? [...all, 'unsloth_lora'] : all;
}

function groupsOf(record: PublishedRecord): readonly string[] {
  const { completeness, task } = record;
  const training = /finetune|lora|pretrain|peft|train|fwd\+bwd|adapter/.test(task);
  const single = gpuCount(record) === 1;
  const decoder = !/vision|diffusion|encoder|embedding/.test(task);
  const allocated = record.metric_class === 'torch allocated';
  const groups = [
    'published',
    completeness === 'A' && 'A',
    completeness !== 'C' && 'AB',
    completeness === 'A' && training && single && decoder && allocated && 'A-train-1gpu-allocated',
    training && !single && 'train-multi-gpu',
    task === 'inference' && 'inference',
    /embedding|encoder/.test(task) && 'embedding',
    task.startsWith('vision') && 'vision',
    task.startsWith('diffusion') && 'diffusion',
  ];
  return ['all', ...groups.filter(group => group !== false)];
}
