import { known, NONE, UNKNOWN } from '../../spec/maybe';
import type { Maybe } from '../../spec/maybe';
import type { ModelFacts, ModelKind } from '../../models/model';
import type { Head } from '../../spec/values';
import type { Architecture } from '../architecture';
import { optimizerCodeOf } from '../frameworks/behavior/torchCode';
import { inBackward } from '../optimizer';
import type { Optimizer } from '../optimizer';
import { optimizers } from '../optimizers/registry';
import type { MemoryRun } from '../run';
import { profileOf } from '../frameworks/profileOf';
import type { RunQuestions } from './questions';
import type { Target } from '../../hardware/gpu';

/** Tasks that train a model on what it has written itself, by the log-probabilities of that. */
export const POLICY_TASKS: ReadonlySet<string> = new Set(['grpo', 'rloo', 'ppo']);

export const isPolicy = (task: string | null): boolean => task !== null && POLICY_TASKS.has(task);

/** A loss on log-probabilities of whole sequences: two of a sample, or one (KTO). */
export const PREFERENCE_TASKS: ReadonlySet<string> = new Set([
  'dpo',
  'ipo',
  'orpo',
  'simpo',
  'cpo',
  'apo',
  'gdpo',
  'kto',
  'online_dpo',
]);

export function isPreference(task: string | null): boolean {
  return task !== null && PREFERENCE_TASKS.has(task);
}

/** Tasks whose loss compares embeddings of texts with one another. */
const CONTRASTIVE_TASKS: ReadonlySet<string> = new Set(['embedding', 'contrastive', 'contrastive_embedding']);

export const comparesEmbeddings = (task: string | null): boolean =>
  task !== null && CONTRASTIVE_TASKS.has(task);

interface Trained {
  /** How the name of a class in config.json's `architectures` ends. */
  readonly ending: RegExp;
  readonly task: string;
  readonly as: string;
  /** Only of models of this kind. */
  readonly kind?: ModelKind;
}

const TRAINED: readonly Trained[] = [
  { ending: /(?:ForCausalLM|LMHeadModel)$/, task: 'sft', as: 'causal language model' },
  {
    ending: /ForConditionalGeneration$/,
    kind: 'vision-language',
    task: 'sft',
    as: 'causal language model',
  },
  { ending: /ForMaskedLM$/, task: 'mlm', as: 'masked language model' },
  { ending: /ForSequenceClassification$/, task: 'sequence_classification', as: 'sequence classifier' },
  { ending: /ForTokenClassification$/, task: 'token_classification', as: 'token classifier' },
  { ending: /ForImageClassification$/, task: 'image_classification', as: 'classifier of images' },
  { ending: /ForSemanticSegmentation$/, task: 'segmentation', as: 'segmenter of images' },
  { ending: /ForObjectDetection$/, task: 'object_detection', as: 'detector' },
  {
    ending: /ForConditionalGeneration$/,
    kind: 'speech',
    task: 'seq2seq',
    as: 'writer of what it hears',
  },
  { ending: /ForCTC$/, task: 'asr', as: 'recogniser of speech' },
  {
    ending: /ForConditionalGeneration$/,
    kind: 'encoder-decoder',
    task: 'seq2seq',
    as: 'translator of sequences',
  },
];

/** Where no key says the task, the model is taken to be trained as what it is. */
export function supposeTask(asker: RunQuestions, model: ModelFacts | null): void {
  if (model === null || !asker.unknown('task')) return;
  const name = className(model);
  const trained = TRAINED.find(({ ending, kind = model.kind }) => kind === model.kind && ending.test(name));
  if (trained) asker.suppose('task', trained.task, `trained as a ${trained.as}: no key says the task`);
}

/** The first class of `architectures`; of a model that comes without config.json, that of its kind. */
function className({ kind, source, extra }: ModelFacts): string {
  const stated = extra['architectures'];
  const [first] = Array.isArray(stated) ? (stated as readonly unknown[]) : [];
  if (typeof first === 'string') return first;
  if (kind === 'vision' && source === 'catalog') return 'ForImageClassification';
  if (kind === 'speech') return writes(extra) ? 'ForConditionalGeneration' : 'ForCTC';
  return kind === 'decoder' && source === 'catalog' && !isEmbedder(extra) ? 'ForCausalLM' : '';
}

/** A model of speech with a decoder writes text; the others name a letter for each frame. */
const writes = (extra: ModelFacts['extra']): boolean => 'num_decoder_layers' in extra;

/** Models that are published for their embeddings. */
const isEmbedder = (extra: ModelFacts['extra']): boolean => 'pooling' in extra || 'embedding_dim' in extra;

/** What the model ends in: what the dialect says, else what the task is about. */
export function headOf(asker: RunQuestions, { kind, extra }: ModelFacts): Head {
  const bare = kind === 'encoder' && isInference(asker) ? 'base' : 'causal-lm';
  const spoken = writes(extra) ? 'seq2seq' : 'ctc';
  const usual = kind === 'speech' ? spoken : (USUAL[kind] ?? bare);
  const asked = asker.detail('head') ?? HEADS[asker.value('task') ?? ''] ?? usual;
  return asked === 'ctc' ? spoken : asked;
}

const USUAL: Readonly<Partial<Record<ModelKind, Head>>> = {
  'encoder-decoder': 'seq2seq',
  vision: 'image-classification',
};

/** Tasks without a loss: generating or judging text, embedding it, and no more than loading the model. */
const INFERENCE: ReadonlySet<string> = new Set(['infer', 'embed', 'load']);

export function isInference(asker: RunQuestions): boolean {
  return INFERENCE.has(asker.value('task') ?? '');
}

/** What the tape does. */
export function kindOf(asker: RunQuestions): MemoryRun['task'] {
  const task = asker.value('task');
  return task === 'load' ? 'load' : isInference(asker) ? 'infer' : 'train';
}

const HEADS: Readonly<Record<string, Head>> = {
  reward: 'sequence-classification',
  prm: 'token-classification',
  sequence_classification: 'sequence-classification',
  token_classification: 'token-classification',
  image_classification: 'image-classification',
  object_detection: 'detector',
  segmentation: 'segmenter',
  semantic_segmentation: 'segmenter',
  pose: 'detector',
  asr: 'ctc',
  denoising: 'denoiser',
  mlm: 'masked-lm',
  seq2seq: 'seq2seq',
  embedding: 'base',
  contrastive: 'base',
  contrastive_embedding: 'base',
  embed: 'base',
};

/** Tasks whose loss compares the model with what it was. */
const REFERENCED: ReadonlySet<string> = new Set(['dpo', 'ipo', 'gdpo', 'kto', 'online_dpo', 'ppo']);

/** Where a frozen copy is not loaded, the base without its adapters serves. */
export function referenceOf(asker: RunQuestions): MemoryRun['training']['reference'] {
  if (asker.detail('referenceModel') === true) return 'copy';
  return asker.value('lora') !== null && REFERENCED.has(asker.value('task') ?? '') ? 'itself' : 'none';
}

/** The optimizer of the run; what is unknown is noted as missing. */
export function optimizerOf(
  asker: RunQuestions,
  { release }: Pick<Architecture, 'release'>,
): Maybe<Optimizer> {
  if (isInference(asker)) return NONE;
  const name = asker.needed('optimizer', 'the optimizer');
  if (name === null) return UNKNOWN;
  if (name === 'none') return NONE;
  const { framework } = asker.run;
  const chosen = profileOf(framework).optimizer(name.toLowerCase(), framework);
  if (chosen.assumed !== undefined) asker.assume(null, chosen.assumed);
  const code = bare(optimizerCodeOf(framework, chosen.name, release));
  const fused = asker.detail('fusedOptimizer') === true ? named(`${code}fused`) : undefined;
  const optimizer = fused ?? named(code);
  if (!optimizer) return asker.notKnown(`the states of the optimizer ${name}`);
  return known(asker.detail('optimizerInBackward') === true ? inBackward(optimizer) : optimizer);
}

const named = (wanted: string): Optimizer | undefined =>
  optimizers.find(({ names }) => names.some(name => bare(name) === wanted));

/** Frameworks name optimizers (`paged_adamw_8bit`) or their classes (`bitsandbytes.optim.PagedAdamW8bit`). */
const bare = (name: string): string => (name.split('.').at(-1) ?? '').toLowerCase().replaceAll(/[_-]/g, '');

/** Pairs of sequences are compared by their log-probabilities. */
export function comparesPairs(asker: RunQuestions): boolean {
  if (!isPreference(asker.value('task'))) return false;
  return asker.assume(true, 'what a preference loss does with log-probabilities takes next to nothing');
}

/** Tasks whose step is one forward and backward pass over sequences with a next-token loss, or what comes near it. */
const CAUSAL_TASKS = new Set([
  'sft',
  'pretrain',
  'lm_pretrain',
  'cpt',
  'lm',
  'clm',
  'infer',
  'embed',
  'load',
]);
const OTHER_TASKS = new Set([
  'reward',
  'prm',
  'embedding',
  'contrastive',
  'contrastive_embedding',
  'mlm',
  'seq2seq',
  'sequence_classification',
  'token_classification',
  'image_classification',
  'object_detection',
  'segmentation',
  'semantic_segmentation',
  'pose',
  'asr',
  'denoising',
]);

/** Notes what the tape does not model yet, fact by fact: better no number than a wrong one. */
export function checkScope(asker: RunQuestions): void {
  const { name } = asker.run.framework;
  const { models, sharding, distills } = profileOf(asker.run.framework);
  if (models === 'not modeled' && !isInference(asker)) asker.lack(`the memory of ${name}'s own model code`);
  if (asker.detail('distributedOptimizer') !== null && sharding !== 'megatron') {
    asker.lack(`the memory of Megatron's code below ${name}`);
  }
  const task = asker.value('task');
  if (task === null) asker.lack('the task');
  else if (!isModelled(task, distills)) asker.lack(`how much memory ${task} takes beside the model`);
  const method = asker.value('method');
  if (method === 'prompt' && asker.value('lora') === null) asker.lack('the memory of prompt tuning');
  checkSharding(asker);
  // What only merges may do so on the CPU, beside a GPU that then holds nothing.
  const onCpu = asker.value('accelerator') === 'cpu' || asker.value('devices') === 0;
  if (onCpu && task !== 'load') asker.lack('a GPU: the run is on the CPU');
  checkOffload(asker);
}

function isModelled(task: string, distills: boolean): boolean {
  if (task === 'gkd') return distills;
  return CAUSAL_TASKS.has(task) || isPreference(task) || isPolicy(task) || OTHER_TASKS.has(task);
}

function checkSharding(asker: RunQuestions): void {
  if (asker.unknown('zeroStage')) asker.lack('the ZeRO stage');
  if (asker.unknown('fsdp')) asker.lack('how FSDP shards');
}

/** Devices that an inference's layers, or slices of each, are spread over. */
export function spreadOf(asker: RunQuestions): number {
  const parallel = asker.value('parallel');
  const devices = isInference(asker) && parallel !== null ? parallel.tensor * parallel.pipeline : 1;
  return devices > 1 ? asker.assume(devices, `the model is spread evenly over ${devices} GPUs`) : devices;
}

function checkOffload(asker: RunQuestions): void {
  const offload = asker.value('offload');
  if (offload === null) return;
  const shards = asker.value('fsdp') !== null || (asker.value('zeroStage') ?? 0) > 0;
  for (const part of ['param', 'optimizer', 'activations'] as const) {
    if (shards && part !== 'activations') continue;
    if (part === 'activations' && asker.value('gradientCheckpointing') === true) continue;
    const place = offload[part];
    if (place !== null && place !== undefined && place !== 'none') {
      asker.lack(`memory with ${part} offloaded`);
    }
  }
}

/** GPUs that each hold the whole model: what the config says, else what the target says, else one. */
export function replicasOf(asker: RunQuestions, target: Target | null): number {
  if (isInference(asker) || asker.detail('deviceMap') !== null) return 1;
  const stated = asker.value('gpus');
  if (stated !== null) return stated;
  if (target?.count !== null && target !== null) return target.count;
  return asker.assume(1, 'one GPU: the config does not say how many');
}
