import { compareReleases } from '../../spec/version';
import { megatronGpt } from '../architectures/megatron';
import { architectures } from '../architectures/registry';
import type { Architecture } from '../architecture';
import { profileOf, transformersOf } from '../frameworks/profileOf';
import { nearestTo } from '../nearest';
import { countInName, supposedDecoder } from '../../models/supposed';
import type { ModelFacts } from '../../models/model';
import { formatCount } from '../../units';
import type { RunQuestions } from './questions';
import { headOf, isInference, isPreference } from './task';

/** Tasks of models that write text: others have models of many kinds. */
const WRITING = new Set(['sft', 'pretrain', 'lm_pretrain', 'cpt', 'lm', 'clm', 'infer', 'load']);

/** In place of a model of which no more than its number of parameters is known: a dense decoder of that size. */
export function supposeModel(asker: RunQuestions): ModelFacts | null {
  const name = asker.value('model');
  const task = asker.value('task') ?? '';
  const writes = WRITING.has(task) || isPreference(task);
  if (name === null || !writes || asker.value('imageSize') !== null) return null;
  const count = countInName(name);
  const model = count === null ? null : supposedDecoder(name, count);
  if (model === null) return null;
  return asker.assume(
    model,
    `${name} is a dense decoder of ${formatCount(count ?? 0)} parameters: its architecture is not known`,
  );
}

/** What is supposed of the images that a model with a vision tower sees. */
export function picturesIn(asker: RunQuestions): string {
  const pixels = asker.detail('picturePixels');
  return pixels === null
    ? 'what the vision tower keeps of images is not counted'
    : `an image in each row, of at most ${pixels} pixels`;
}

export function modelPhrase(asker: RunQuestions): string {
  const name = asker.value('model');
  return name === null ? 'the model' : `the architecture of ${name}`;
}

const usualArchitecture = ({ modelType }: ModelFacts): Architecture | undefined =>
  architectures.find(({ modelTypes }) => modelTypes.includes(modelType));

/** Megatron has one model for all decoders. */
const ownArchitecture = (asker: RunQuestions, { kind }: ModelFacts): Architecture | null =>
  profileOf(asker.run.framework).models === 'megatron' && kind === 'decoder' && !isInference(asker)
    ? megatronGpt
    : null;

function namedOrNearest(asker: RunQuestions, model: ModelFacts): Architecture | null {
  const named = ownArchitecture(asker, model) ?? usualArchitecture(model);
  const nearest = named ? null : nearestTo(model);
  if (nearest) asker.assume(null, `${model.modelType} works as the common decoder of its sizes`);
  return named ?? nearest;
}

export function architectureOf(asker: RunQuestions, model: ModelFacts): Architecture | null {
  const architecture = namedOrNearest(asker, model);
  if (!architecture) return asker.lack(`the memory model of ${model.modelType} models`);
  const release = transformersOf(asker.run.framework, architecture.release);
  if (architecture.since !== undefined && compareReleases(release, architecture.since) < 0) {
    // Older code keeps other tensors for backward; what inference holds is the weights, the cache and the logits.
    if (isInference(asker)) {
      asker.assume(null, `${model.modelType} works as in transformers ${architecture.since}`);
    } else asker.lack(`the memory of ${model.modelType} in transformers ${release}`);
  }
  const head = headOf(asker, model);
  const isKnown = asker.value('task') !== null || asker.detail('head') !== null;
  if (isKnown && !architecture.heads.includes(head)) {
    asker.lack(`the memory of ${model.modelType} with a ${head} head`);
  }
  if (architecture.checkpoints === false && asker.value('gradientCheckpointing') === true) {
    asker.lack(`gradient checkpointing in ${model.modelType} models`);
  }
  if (architecture.checkpoints === 'ignored' && asker.value('gradientCheckpointing') === true) {
    asker.assume(null, `gradient checkpointing changes nothing: ${model.modelType} passes it over`);
  }
  if (profileOf(asker.run.framework).families?.has(model.modelType) === false) {
    asker.lack(`the memory of ${asker.run.framework.name}'s own code of ${model.modelType} models`);
  }
  for (const phrase of architecture.missing(model)) asker.lack(phrase);
  suppose(asker, architecture, model);
  return architecture;
}

/** What is taken for granted of such models. */
function suppose(asker: RunQuestions, architecture: Architecture, model: ModelFacts): void {
  for (const phrase of architecture.assumes?.(model) ?? []) asker.assume(null, phrase);
}
