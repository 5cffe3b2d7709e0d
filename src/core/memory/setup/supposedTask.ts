import type { ModelFacts, ModelKind } from '../../models/model';
import type { NetworkFacts } from '../../models/network';
import type { Head } from '../../spec/values';
import { profileOf } from '../frameworks/profileOf';
import type { RunQuestions } from './questions';
import { isInference, isModeled, writes } from './task';

interface Trained {
  /** The suffix of a class name in config.json's `architectures`. */
  readonly ending: RegExp;
  readonly task: string;
  readonly as: string;
  /** Only for models of this kind. */
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

/** What a network is trained for, by the head that its code has; the first that it has is meant. */
const USUAL: readonly (readonly [head: Head, task: string, as: string])[] = [
  ['denoiser', 'denoising', 'denoiser'],
  ['segmenter', 'segmentation', 'segmenter of images'],
  ['detector', 'object_detection', 'detector'],
  ['image-classification', 'image_classification', 'classifier of images'],
  ['seq2seq', 'seq2seq', 'translator of sequences'],
  ['ctc', 'asr', 'recogniser of speech'],
  ['masked-lm', 'mlm', 'masked language model'],
  ['causal-lm', 'sft', 'causal language model'],
];

/** What people call tasks, by the one of the same step: the first whose head the network has. */
type Alike = readonly [head: Head, task: string];
const SAME: readonly (readonly [words: RegExp, tasks: readonly Alike[]])[] = [
  [
    /^(?:image_|multi_?class_|multi_?label_|binary_)?classification$/,
    [
      ['image-classification', 'image_classification'],
      ['sequence-classification', 'sequence_classification'],
    ],
  ],
  [
    /^(?:text_classification|sentiment(?:_\w+)?|nli|text_regression)$/,
    [['sequence-classification', 'sequence_classification']],
  ],
  [/^(?:ner|pos|question_answering|qa|token_\w+)$/, [['token-classification', 'token_classification']]],
  [/^(?:mlm|masked_(?:lm|language_model(?:l?ing)?))(?:_\w+)?$/, [['masked-lm', 'mlm']]],
  [/^(?:translation|summari[sz]ation|text2text|seq2seq(?:_\w+)?)$/, [['seq2seq', 'seq2seq']]],
  [
    /^(?:speech_recognition|transcription)$/,
    [
      ['ctc', 'asr'],
      ['seq2seq', 'seq2seq'],
    ],
  ],
  [/^(?:text_to_image|text_to_video|diffusion|\w*flow_matching)$/, [['denoiser', 'denoising']]],
  [
    /^(?:causal_lm|language_model(?:l?ing)?|instruction_tuning|\w*fine_?tun(?:e|ing))$/,
    [['causal-lm', 'sft']],
  ],
];

/** Tasks with networks or passes besides the model's own, of which a step of it tells little. */
const BESIDES =
  /distil|teacher|gan(?:_|$)|adversar|contrast|self_?sup|ssl|siam|simclr|moco|byol|dino|reinforce|policy|reward|ppo|grpo|segment|detect|pose|depth|super_?res|restor|vocod|tts|separation|nerf/;

/**
 * The task where no key states it: training for what the model is. A word for a task that is not modeled by this name
 * counts as the same step by another name, or as the usual step of such a model, without a verdict.
 */
export function supposeTask(questions: RunQuestions, model: ModelFacts | null, heads: readonly Head[]): void {
  if (model === null) return;
  if (model.network) {
    supposeStep(questions, model.network);
    return;
  }
  if (questions.unknown('task')) supposeUnsaid(questions, model, heads);
  else supposeAlike(questions, heads);
}

/** A project's own network: whatever the task, its step is a pass, a loss and the gradients. */
function supposeStep(questions: RunQuestions, { name, file }: NetworkFacts): void {
  if (isInference(questions)) return;
  const phrase = `a step is a pass of ${name} with its gradients, as ${basename(file)} has it`;
  questions.supposes('task', questions.guess('image_classification', phrase));
}

const basename = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

function supposeUnsaid(questions: RunQuestions, model: ModelFacts, heads: readonly Head[]): void {
  const name = className(model);
  const trained = TRAINED.find(({ ending, kind = model.kind }) => kind === model.kind && ending.test(name));
  if (trained) {
    questions.suppose('task', trained.task, `trained as a ${trained.as}: no key says the task`);
    return;
  }
  // A class without a head, and a model that is published for its embeddings, are trained for something else.
  const usual = name === '' && !isEmbedder(model.extra) ? usualOf(questions, heads) : undefined;
  if (!usual) return;
  const [, task, as] = usual;
  questions.supposes('task', questions.guess(task, `trained as a ${as}: no key says the task`, 'task'));
}

function supposeAlike(questions: RunQuestions, heads: readonly Head[]): void {
  const { distills } = profileOf(questions.run.framework);
  const word =
    questions
      .value('task')
      ?.toLowerCase()
      .replaceAll(/[-\s]+/g, '_') ?? null;
  if (word === null || isModeled(questions.value('task') ?? '', distills)) return;
  const alike = SAME.find(([words]) => words.test(word))?.[1].find(([head]) => heads.includes(head));
  if (alike) {
    const [, task] = alike;
    if (task !== word) questions.suppose('task', task, `a step of ${word} is one of ${task}`);
    return;
  }
  const usual = BESIDES.test(word) ? undefined : usualOf(questions, heads);
  if (!usual) return;
  const [, task, as] = usual;
  questions.supposes('task', questions.guess(task, `a step of ${word} counts as that of a ${as}`, 'task'));
}

/** None where a key says the head. */
const usualOf = (questions: RunQuestions, heads: readonly Head[]): (typeof USUAL)[number] | undefined =>
  questions.detail('head') === null ? USUAL.find(([head]) => heads.includes(head)) : undefined;

/** The first class of `architectures`; without config.json, that of the model's kind. */
function className({ kind, source, extra }: ModelFacts): string {
  const stated = extra['architectures'];
  const [first] = Array.isArray(stated) ? (stated as readonly unknown[]) : [];
  if (typeof first === 'string') return first;
  if (kind === 'vision' && source === 'catalog') return 'ForImageClassification';
  if (kind === 'speech') return writes(extra) ? 'ForConditionalGeneration' : 'ForCTC';
  const isListed = source === 'catalog' || source === 'name';
  return kind === 'decoder' && isListed && !isEmbedder(extra) ? 'ForCausalLM' : '';
}

/** True for models that are published for their embeddings. */
const isEmbedder = (extra: ModelFacts['extra']): boolean => 'pooling' in extra || 'embedding_dim' in extra;
