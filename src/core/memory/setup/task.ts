import type { ModelFacts, ModelKind } from '../../models/model';
import type { Head } from '../../spec/values';
import type { Architecture } from '../architecture';
import { optimizerCodeOf } from '../frameworks/behavior/torchCode';
import { inBackward } from '../optimizer';
import type { Optimizer } from '../optimizer';
import { optimizers } from '../optimizers/registry';
import type { MemoryRun } from '../run';
import { profileOf } from '../frameworks/profileOf';
import type { Asker } from './asker';
import { isPreference } from './preference';

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
export function supposeTask(asker: Asker, model: ModelFacts | null): void {
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
export function headOf(asker: Asker, { kind, extra }: ModelFacts): Head {
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

export function isInference(asker: Asker): boolean {
  return INFERENCE.has(asker.value('task') ?? '');
}

/** What the tape does. */
export function kindOf(asker: Asker): MemoryRun['task'] {
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
export function referenceOf(asker: Asker): MemoryRun['reference'] {
  if (asker.detail('referenceModel') === true) return 'copy';
  return asker.value('lora') !== null && REFERENCED.has(asker.value('task') ?? '') ? 'itself' : 'none';
}

/** null: nothing is optimised; undefined: not known, and noted. */
export function optimizerOf(
  asker: Asker,
  { release }: Pick<Architecture, 'release'>,
): Optimizer | null | undefined {
  if (isInference(asker)) return null;
  const name = asker.needed('optimizer', 'the optimizer');
  if (name === null) return undefined;
  if (name === 'none') return null;
  const { framework } = asker.run;
  const chosen = profileOf(framework).optimizer(name.toLowerCase(), framework);
  if (chosen.assumed !== undefined) asker.assume(null, chosen.assumed);
  const code = bare(optimizerCodeOf(framework, chosen.name, release));
  const fused = asker.detail('fusedOptimizer') === true ? named(`${code}fused`) : undefined;
  const optimizer = fused ?? named(code);
  if (!optimizer) asker.lack(`the states of the optimizer ${name}`);
  return optimizer && asker.detail('optimizerInBackward') === true ? inBackward(optimizer) : optimizer;
}

const named = (wanted: string): Optimizer | undefined =>
  optimizers.find(({ names }) => names.some(name => bare(name) === wanted));

/** Frameworks name optimizers (`paged_adamw_8bit`) or their classes (`bitsandbytes.optim.PagedAdamW8bit`). */
const bare = (name: string): string => (name.split('.').at(-1) ?? '').toLowerCase().replaceAll(/[_-]/g, '');

/** Pairs of sequences are compared by their log-probabilities. */
export function comparesPairs(asker: Asker): boolean {
  if (!isPreference(asker.value('task'))) return false;
  return asker.assume(true, 'what a preference loss does with log-probabilities takes next to nothing');
}
