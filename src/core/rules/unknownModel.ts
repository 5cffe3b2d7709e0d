import { isUnknown } from '../spec/quantity';
import { hubId } from '../models/names';
import type { Rule } from './rule';

export const unknownModel: Rule = {
  id: 'unknown-model',
  severity: 'information',
  summary: 'The model is unknown, so there is no estimate or only a rough one.',
  sources: ['models are found in a local config.json, the Hugging Face cache and the built-in catalog'],
  check({ run, model, modelWhy, estimate, known }) {
    if (known === true) return [];
    const named = run.quantities.model;
    if (model?.source === 'user' && model.sameAs !== null) {
      const message = `Estimated as ${model.sameAs}, as .headroom/models says. The config.json of the model gives exact numbers.`;
      return [{ at: ['quantity:model'], message }];
    }
    if (model?.source === 'name' && model.sameAs !== null) {
      const message = `Assumed to be ${model.sameAs}, going by the name. The model's config.json gives exact numbers.`;
      return [{ at: ['quantity:model'], message }];
    }
    if (model || named.value === null || isUnknown(named)) return [];
    // A size in the name makes an estimate of any name, and that has to be said.
    if (estimate === null && !couldBeFound(named.value)) return [];
    const why = modelWhy === null ? '' : ` ${modelWhy}`;
    const message =
      `Model ${named.value} isn't known, ${estimate ? AS_DENSE : "so its memory can't be estimated"}.${why} ` +
      `${help(named.value)} a folder of that name next to this config. Or name a similar model ` +
      'for now.';
    return [{ at: ['quantity:model'], message }];
  },
};

const AS_DENSE = 'so the size in its name decides (dense decoder, ± 50 %)';

/** A hub repository or a path; a framework's name for its own code (`resnet`, `ViT-B/16`) has no file. */
const couldBeFound = (name: string): boolean =>
  /^(?:\.{0,2}|~)\//.test(name) ||
  /^[\w.-]+\/[\w.-]*[A-Za-z]{3}[\w.-]*$/.test(name) ||
  name.split('/').length > 2;

/** A name with an owner may be on the hub; a name without one is more likely a folder. */
function help(name: string): string {
  const id = hubId(name);
  return id?.includes('/')
    ? `Run \`hf download ${id} config.json\`, or put its config.json in`
    : 'Put its config.json in';
}
