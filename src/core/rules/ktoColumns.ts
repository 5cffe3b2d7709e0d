import type { Rule } from './rule';
import { AXOLOTL } from './dialectGroups';
import { exactly, is, not, readable, setKey, when } from './when';

const KEY = 'remove_unused_columns';

export const ktoColumns: Rule = {
  id: 'kto-columns',
  severity: 'error',
  summary: '`rl: kto` needs `remove_unused_columns: false`.',
  sources: ['axolotl 0.18 utils/schemas/validation.py check_kto_config'],
  dialects: AXOLOTL,
  check: when([is('rl', 'kto'), readable(KEY), not(exactly(KEY, false))], quote => ({
    at: [KEY, 'rl'],
    message: `Axolotl rejects ${quote('rl')} unless remove_unused_columns is false. Set it.`,
    remedies: [setKey(KEY, false)],
  })),
};
