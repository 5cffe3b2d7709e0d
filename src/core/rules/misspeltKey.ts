import axolotlKeys from './data/axolotlKeys.json';
import { pluginNames } from './axolotlPlugins';
import { meantBy } from '../text/editDistance';
import type { Rule } from './rule';
import { AXOLOTL } from './dialectGroups';
import { isStated, keysBelow } from './raw';

const KNOWN: ReadonlySet<string> = new Set([
  ...axolotlKeys.keys,
  ...Object.values(axolotlKeys.plugins).flat(),
]);
const WORDS = [...KNOWN];

export const misspeltKey: Rule = {
  id: 'misspelt-key',
  severity: 'warning',
  summary: 'A key looks like a misspelled Axolotl key and is ignored.',
  sources: ['axolotl 0.18 utils/schemas: pydantic ignores unknown keys without a word'],
  dialects: AXOLOTL,
  check(context) {
    if (!pluginNames(context)) return [];
    return keysBelow(context, '').flatMap(key => {
      const meant = KNOWN.has(key) ? null : meantBy(key, WORDS);
      if (meant === null || isStated(context, meant)) return [];
      const message = `Axolotl does not know \`${key}\` and ignores it silently. Did you mean \`${meant}\`?`;
      return [{ at: [key], message }];
    });
  },
};
