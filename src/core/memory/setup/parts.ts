import type { FrozenPart } from '../../spec/values';
import type { RunQuestions } from './questions';
import type { ModelFacts } from '../../models/model';
import type { TrainedTop } from '../../spec/trainedParts';
import type { Architecture } from '../architecture';
import { profileOf } from '../frameworks/profileOf';
import { trainsOf } from '../frozen/names';
import type { NamedParts } from '../frozen/names';
import { Freezing } from '../frozen/freezing';
import type { PartlyTrained } from '../frozen/freezing';
import type { Element } from '../tensor';

/** Parts that keys of their own freeze; none where nobody says. */
export function frozenPartsOf(asker: RunQuestions): readonly FrozenPart[] {
  return asker.detail('frozenParts') ?? [];
}

const HELD: Readonly<Record<string, Element>> = { fp32: 'fp32', bf16: 'bf16', fp16: 'fp16' };

/** What is trained where parts of the base are frozen; null: all of it, or what is missing is noted. */
export function partlyOf(
  asker: RunQuestions,
  model: ModelFacts,
  { layersByNumber }: Architecture,
): PartlyTrained | null {
  if (asker.value('method') !== 'freeze') return null;
  const stated = asker.detail('trainedParts');
  if (stated === null) return asker.lack('which parameters are trained');
  if (layersByNumber !== true) return asker.lack(`which layers of a ${model.modelType} are trained`);
  const parts = stated.by === 'top' ? aboveOf(stated, model) : stated;
  const partly: PartlyTrained = {
    parts,
    dtype: HELD[asker.detail('trainedDtype') ?? ''] ?? null,
    checkpointsTrained: profileOf(asker.run.framework).checkpointsTrainedLayers,
  };
  if (!trainsAny(partly, model.layers)) asker.lack('which parameters are trained: nothing has such a name');
  if (parts.by === 'share') {
    asker.assume(null, 'layers with trained matrices lie anywhere, the first of them at the bottom');
  }
  if (parts.by === 'turn') asker.assume(null, 'each layer has had its turn, so that all have states');
  return partly;
}

/** The layers above so much of all parameters, and what comes after them; a layer that is cut counts as trained. */
function aboveOf({ frozenShare }: TrainedTop, model: ModelFacts): NamedParts {
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
