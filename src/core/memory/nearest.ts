import type { ModelFacts } from '../models/model';
import type { Architecture } from './architecture';
import { commonDesign } from './blocks/commonDesign';
import { decoderArchitecture } from './blocks/decoderArchitecture';

const NEAREST: Architecture = decoderArchitecture({
  modelTypes: [],
  source: 'what decoders of transformers 5.23.0 have in common',
  design: commonDesign,
});

const DECODING: ReadonlySet<ModelFacts['kind']> = new Set(['decoder', 'state-space']);

/** The language model of a vision-language model, by its own type. */
const isBehindTower = ({ kind, modelType }: ModelFacts): boolean =>
  kind === 'vision-language' && modelType.endsWith('_text');

/** The architecture nearest to a decoder that no file names; null where its sizes do not say enough. */
export function nearestTo(model: ModelFacts): Architecture | null {
  const isDecoder = DECODING.has(model.kind) || isBehindTower(model);
  const sizes = [model.hiddenSize, model.layers, model.heads, model.vocabSize];
  const isKnown = sizes.every(size => size > 0) && (model.intermediateSize > 0 || model.moe !== null);
  return isDecoder && isKnown ? NEAREST : null;
}

/** What a run says of it: nothing where a file names the model's type. */
export const nearness = (architecture: Architecture): { readonly isNearest?: true } =>
  architecture === NEAREST ? { isNearest: true } : {};
