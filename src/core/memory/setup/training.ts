import type { Optimizer } from '../optimizer';
import type { LoraPlan } from '../adapterMethod';
import type { Training } from '../run';
import { mergesOf } from './adapters';
import type { RunQuestions } from './questions';
import { isInference, referenceOf } from './task';
import type { ModelFacts } from '../../models/model';
import type { TrainedTop } from '../../spec/trainedParts';
import type { Architecture } from '../architecture';
import { profileOf } from '../frameworks/profileOf';
import { trainsOf } from '../frozen/names';
import type { NamedParts } from '../frozen/names';
import { Freezing } from '../frozen/freezing';
import type { PartlyTrained } from '../run';
import type { Element } from '../tensor';

const HELD: Readonly<Record<string, Element>> = { fp32: 'fp32', bf16: 'bf16', fp16: 'fp16' };

/** The trained part of a base with frozen parts; null: all of it, or unknown and noted as missing. */
function partlyOf(
  questions: RunQuestions,
  model: ModelFacts,
  { layersByNumber }: Architecture,
): PartlyTrained | null {
  if (questions.value('method') !== 'freeze') return null;
  const stated = questions.detail('trainedParts');
  if (stated === null) return questions.lack('which parameters are trained');
  if (layersByNumber !== true) return questions.lack(`which layers of a ${model.modelType} are trained`);
  const parts = stated.by === 'top' ? partsAbove(stated, model) : stated;
  const partly: PartlyTrained = {
    parts,
    dtype: HELD[questions.detail('trainedDtype') ?? ''] ?? null,
    checkpointsTrained: profileOf(questions.run.framework).checkpointsTrainedLayers,
  };
  if (!trainsAny(partly, model.layers)) {
    questions.lack('which parameters are trained: nothing has such a name');
  }
  if (parts.by === 'share') {
    questions.assume(null, 'layers with trained matrices lie anywhere, the first of them at the bottom');
  }
  if (parts.by === 'turn' && parts.optimized !== 'first') {
    questions.assume(null, 'each layer has had its turn, so that all have states');
  }
  return partly;
}

/**
 * The layers above this share of all parameters, and everything after them; a partly covered layer counts as
 * trained.
 */
function partsAbove({ frozenShare }: TrainedTop, model: ModelFacts): NamedParts {
  const { parameters, layers, vocabSize, hiddenSize, tiedEmbeddings } = model;
  const table = vocabSize * hiddenSize;
  const total = parameters?.total ?? 0;
  const layer = (total - table * (tiedEmbeddings ? 1 : 2)) / layers;
  const below = Math.floor((total * frozenShare - table) / layer);
  const frozen = Math.min(layers - 1, Math.max(0, below));
  return { by: 'layer', layers: layers - frozen, apart: false, modules: null, beside: ['norm', 'lm_head'] };
}

function trainsAny(partly: PartlyTrained, layers: number): boolean {
  const trains = trainsOf(partly.parts, layers);
  const outside = ['embed_tokens', 'lm_head', 'norm'].some(module => trains(module, null));
  const freezing = new Freezing(partly, layers);
  return outside || Array.from({ length: layers }, (_, i) => i).some(layer => freezing.trainsIn(layer));
}

/**
 * Whether values have a separate model (trl 0.12, ppo_trainer.py, PolicyAndValueWrapper): a second, fully trained
 * copy of the model with a score per token.
 */
function valuesOf(questions: RunQuestions): NonNullable<Training['values']> {
  if (questions.value('task') !== 'ppo' || questions.detail('valueModel') !== true) return 'none';
  if (questions.value('lora') !== null) {
    questions.lack('the memory of a value model next to a policy with adapters');
  }
  const shares = (questions.value('zeroStage') ?? 0) > 0 || questions.value('fsdp') !== null;
  if (shares) questions.lack('how ranks share the value model');
  return questions.assume('model', 'the value model is as large as the policy');
}

/** The trained parts, and the memory for training them. */
export function trainingOf(
  questions: RunQuestions,
  { model, architecture, optimizer, lora }: Trained,
): Training {
  return {
    averaged: questions.detail('averagedWeights') === true && lora === null && !isInference(questions),
    lora,
    reference: referenceOf(questions),
    values: valuesOf(questions),
    frozen: false,
    partly: partlyOf(questions, model, architecture),
    frozenParts: questions.detail('frozenParts') ?? [],
    optimizer,
    gradAccum: questions.value('gradAccum') ?? 1,
    resumes: questions.detail('resumes') === true,
    merges: mergesOf(questions),
  };
}

interface Trained {
  readonly model: ModelFacts;
  readonly architecture: Architecture;
  readonly optimizer: Optimizer | null;
  readonly lora: LoraPlan | null;
}
