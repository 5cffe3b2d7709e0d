import { INSIDE } from '../../models/catalog';
import { countDecoder } from '../../models/countDecoder';
import { familyOf } from '../../models/families/families';
import type { ModelFacts } from '../../models/model';
import { countInName, supposedDecoder } from '../../models/supposed';
import { compareReleases } from '../../spec/version';
import type { Head } from '../../spec/values';
import { formatCount } from '../../units';
import type { Architecture } from '../architecture';
import { megatronGpt } from '../architectures/megatron';
import { architectures } from '../architectures/registry';
import { commonDesign } from '../blocks/commonDesign';
import { decoderArchitecture } from '../blocks/decoderArchitecture';
import { profileOf, transformersOf } from '../frameworks/profileOf';
import type { RunQuestions } from './questions';
import { headOf, isInference, isPreference } from './task';
import { phrase } from '../../text/say';

const NEAREST: Architecture = decoderArchitecture({
  modelTypes: [],
  source: 'what decoders of transformers 5.23.0 have in common',
  design: commonDesign,
});

const DECODING: ReadonlySet<ModelFacts['kind']> = new Set(['decoder', 'state-space']);

/** True for the language model of a vision-language model, by its own type. */
const isBehindTower = ({ kind, modelType }: ModelFacts): boolean =>
  kind === 'vision-language' && (modelType.endsWith('_text') || familyOf(modelType)?.kind === 'state-space');

/** The nearest architecture for an unsupported decoder; null if its sizes are not sufficient. */
export function nearestTo(model: ModelFacts): Architecture | null {
  const isDecoder = DECODING.has(model.kind) || isBehindTower(model);
  const sizes = [model.hiddenSize, model.layers, model.heads, model.vocabSize];
  const isKnown = sizes.every(size => size > 0) && (model.intermediateSize > 0 || model.moe !== null);
  return isDecoder && isKnown ? NEAREST : null;
}

/** Marks a run with a nearest architecture; empty for supported types. */
export const nearness = (architecture: Architecture): { readonly isNearest?: true } =>
  architecture === NEAREST ? { isNearest: true } : {};

/** Tasks of text models; other tasks have models of many kinds. */
const WRITING = new Set(['sft', 'pretrain', 'lm_pretrain', 'cpt', 'lm', 'clm', 'infer', 'load']);

/** Encoders that score rows have fewer parameters, decoders more. */
const LEAST_SCORING_DECODER = 1e9;

/** True if the run is of texts, as far as its task or, without one, its keys tell. */
function ofText(questions: RunQuestions, count: number | null): boolean {
  const task = questions.value('task') ?? '';
  if (task === '') return (questions.value('seqLen') ?? questions.value('lora')) !== null;
  const scores = task === 'sequence_classification' && (count ?? 0) >= LEAST_SCORING_DECODER;
  return WRITING.has(task) || isPreference(task) || scores;
}

/** A dense decoder instead of a model with nothing known but its number of parameters. */
export function supposeModel(questions: RunQuestions): ModelFacts | null {
  const name = questions.value('model');
  const count = name === null ? null : countInName(name);
  if (name === null || !ofText(questions, count) || questions.value('imageSize') !== null) return null;
  const model = count === null ? null : supposedDecoder(name, count);
  if (model === null) return null;
  const says = phrase`${name} is a dense decoder of ${formatCount(count ?? 0)} parameters: its architecture is not known`;
  return OTHER_SENSES.test(name) ? questions.guess(model, says) : questions.assume(model, says);
}

/** Names of models that also see, hear or speak: their towers and what they keep of a sample are not known. */
const OTHER_SENSES =
  /(?:^|[-_./\d])(?:vlm?|vision|visual|ovis|omni|llava|multimodal|mm|images?|videos?|audio|speech|voice|tts|asr|ocr|vla|3d)(?=[-_./\d]|$)/i;

/** The assumption about the images of a model with a vision tower. */
export function picturesIn(questions: RunQuestions): string {
  const pixels = questions.detail('picturePixels');
  return pixels === null
    ? phrase`what the vision tower keeps of images is not counted`
    : phrase`an image in each row, of at most ${pixels} pixels`;
}

export function lackModel(questions: RunQuestions): void {
  const name = questions.value('model');
  if (name === null) questions.lack('the model', { what: 'model' });
  else questions.lack(`the architecture of ${name}`, { what: 'architecture', name });
}

const lackMemoryModel = (questions: RunQuestions, { modelType }: ModelFacts): null =>
  questions.lack(`the memory model of ${modelType} models`, { what: 'memory model', name: modelType });

const usualArchitecture = ({ modelType }: ModelFacts): Architecture | undefined =>
  architectures.find(({ modelTypes }) => modelTypes.includes(modelType));

/** Megatron has one model for all decoders. */
const ownArchitecture = (questions: RunQuestions, { kind }: ModelFacts): Architecture | null =>
  profileOf(questions.run.framework).models === 'megatron' && kind === 'decoder' && !isInference(questions)
    ? megatronGpt
    : null;

/** Layers that would have more parameters than the whole model are others than those of the common decoder. */
function supposeNearest(questions: RunQuestions, model: ModelFacts): void {
  const counted = countDecoder(model).total;
  if (counted > MOST_COUNTED * (model.publishedTotal ?? counted)) {
    lackMemoryModel(questions, model);
  } else questions.assume(null, `${model.modelType} works as the common decoder of its sizes`);
}
const MOST_COUNTED = 1.05;

function namedOrNearest(questions: RunQuestions, model: ModelFacts): Architecture | null {
  const named = ownArchitecture(questions, model) ?? usualArchitecture(model);
  const nearest = named ? null : nearestTo(model);
  if (nearest) supposeNearest(questions, model);
  return named ?? nearest;
}

/** The heads that the model's code has; empty: its code is not known. */
export const headsOf = (questions: RunQuestions, model: ModelFacts | null): readonly Head[] => {
  if (model === null) return [];
  return (ownArchitecture(questions, model) ?? usualArchitecture(model) ?? nearestTo(model))?.heads ?? [];
};

export function architectureOf(questions: RunQuestions, model: ModelFacts): Architecture | null {
  const architecture = namedOrNearest(questions, model);
  if (!architecture) return lackMemoryModel(questions, model);
  assumeByName(questions, model);
  judgeRelease(questions, architecture, model);
  const head = headOf(questions, model);
  const isKnown = questions.value('task') !== null || questions.detail('head') !== null;
  if (isKnown && !architecture.heads.includes(head)) {
    questions.lack(`the memory of ${model.modelType} with a ${head} head`);
  }
  const { checkpoints } = architecture;
  if (checkpoints !== undefined && questions.value('gradientCheckpointing') === true) {
    if (checkpoints === false) questions.lack(`gradient checkpointing in ${model.modelType} models`);
    else questions.assume(null, `gradient checkpointing changes nothing: ${model.modelType} passes it over`);
  }
  if (profileOf(questions.run.framework).families?.has(model.modelType) === false) {
    questions.lack(`the memory of ${questions.run.framework.name}'s own code of ${model.modelType} models`);
  }
  for (const says of architecture.missing?.(model) ?? []) questions.lack(says);
  suppose(questions, architecture, model);
  return architecture;
}

/** Older code keeps other tensors for backward; inference only holds weights, cache and logits. */
function judgeRelease(
  questions: RunQuestions,
  { since, release: own }: Architecture,
  { modelType }: ModelFacts,
): void {
  const release = transformersOf(questions.run.framework, own);
  if (since === undefined || compareReleases(release, since) >= 0) return;
  if (isInference(questions)) questions.assume(null, `${modelType} works as in transformers ${since}`);
  else questions.lack(`the memory of ${modelType} in transformers ${release}`);
}

/** A network around a part of the same name has other sizes, a fine-tune of a language model seldom has. */
function assumeByName(questions: RunQuestions, { id, sameAs, kind, extra }: ModelFacts): void {
  if (extra[INSIDE] !== true) return;
  const says = phrase`${id} has the architecture of ${sameAs ?? ''}, which is in its name`;
  if (kind === 'vision') questions.guess(null, says);
  else questions.assume(null, says);
}

/** Adds the assumptions for such models. */
function suppose(questions: RunQuestions, architecture: Architecture, model: ModelFacts): void {
  for (const says of architecture.assumes?.(model) ?? []) questions.assume(null, says);
}
