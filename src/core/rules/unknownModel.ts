import { isUnknown } from '../spec/quantity';
import type { ModelFacts } from '../models/model';
import { hubId } from '../models/names';
import { countInName } from '../models/supposed';
import type { Rule } from './rule';
import type { Say } from '../text/say';

export const unknownModel: Rule = {
  id: 'unknown-model',
  severity: 'information',
  summary: 'The model is unknown, so there is no estimate or only a rough one.',
  sources: [
    'models are found in a local config.json, the Hugging Face cache, downloads and the built-in catalog',
  ],
  check({ run, model, modelWhy, estimate, known, say }) {
    if (known === true) return [];
    const named = run.quantities.model;
    const standIn = model && standInText(say, model);
    if (standIn) return [{ at: ['quantity:model'], message: standIn }];
    if (model || named.value === null || isUnknown(named)) return [];
    // A size in the name gives an estimate for any name, and the user has to know that. Runs on the CPU need no model.
    const isGuess = estimate !== null && countInName(named.value) !== null;
    if (!isGuess && (estimate !== null || !couldBeFound(named.value))) return [];
    const what = isGuess
      ? say("Model {0} isn't known, so the size in its name decides (dense decoder, ± 50 %).", named.value)
      : say("Model {0} isn't known, so its memory can't be estimated.", named.value);
    const why = modelWhy === null ? what : say('{0} {1}', what, modelWhy);
    const message = say('{0} {1} Or name a similar model for now.', why, help(say, named.value));
    return [{ at: ['quantity:model'], message }];
  },
};

/** Says which known model is estimated in place of the named one; null if it is the named one itself. */
function standInText(say: Say, { source, sameAs }: ModelFacts): string | null {
  if (sameAs === null) return null;
  if (source === 'user') {
    return say(
      'Estimated as {0}, as .headroom/models says. The config.json of the model gives exact numbers.',
      sameAs,
    );
  }
  if (source !== 'name') return null;
  return say("Assumed to be {0}, going by the name. The model's config.json gives exact numbers.", sameAs);
}

/** A hub repository or a path; a framework's name for its own code (`resnet`, `ViT-B/16`) has no file. */
const couldBeFound = (name: string): boolean =>
  /^(?:\.{0,2}|~)\//.test(name) ||
  /^[\w.-]+\/(?=[\w.-]*?[A-Za-z]{3})[\w.-]+$/.test(name) ||
  name.split('/').length > 2;

/** A name with an owner may be on the hub; a name without one is more likely a folder. */
function help(say: Say, name: string): string {
  if (/^(?:\/|~\/|[A-Za-z]:[\\/])/.test(name)) return say('Put its config.json in that folder.');
  return hubId(name)?.includes('/')
    ? say(
        'Download its config.json (`--download` in a terminal), or put it in a folder of that name next to this config.',
      )
    : say('Put its config.json in a folder of that name next to this config.');
}
