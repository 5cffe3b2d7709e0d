import { isUnknown } from '../spec/quantity';
import type { Rule } from './rule';
import { RUNS } from './dialectGroups';

export const unknownModel: Rule = {
  id: 'unknown-model',
  severity: 'information',
  summary: 'The architecture of the model is not known here, so there is no estimate.',
  sources: ['models are found in a local config.json, the Hugging Face cache and the built-in catalog'],
  dialects: RUNS,
  check({ run, model }) {
    const named = run.quantities.model;
    if (model || named.value === null || isUnknown(named)) return [];
    const message =
      `The shapes of ${named.value} are not known here, so its memory cannot be estimated. ` +
      'Any of these helps: its config.json in a folder of that name beside this config, the model in the ' +
      'Hugging Face cache, or a known model of the same architecture and size.';
    return [{ at: ['quantity:model'], message }];
  },
};
