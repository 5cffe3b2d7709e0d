import type { Rule } from './rule';
import { GUIDE } from './dialectGroups';
import { is, setKey, when } from './when';

const KEY = 'data_loader.tokenization.padding';

export const paddingLongest: Rule = {
  id: 'padding-longest',
  severity: 'hint',
  summary: 'Padding to the longest text of a batch makes memory vary between steps.',
  sources: ['training-memory guide, “Inconsistent Memory Usage”: padding: max_length, not longest'],
  dialects: GUIDE,
  check: when([is(KEY, 'longest')], quote => ({
    at: [KEY],
    message:
      `With ${quote(KEY)} a batch is as long as its longest text: memory varies from step to step and can run out late. ` +
      'With max_length, every step needs the same memory.',
    remedies: [setKey(KEY, 'max_length')],
  })),
};
