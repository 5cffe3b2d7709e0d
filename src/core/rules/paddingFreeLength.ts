import type { Rule } from './rule';
import { TRL } from './dialectGroups';
import { atLeast, equals, holdsNull, not, off, on, readable, setKey, when } from './when';

export const paddingFreeLength: Rule = {
  id: 'padding-free-length',
  severity: 'error',
  summary: '`padding_free` without packing is rejected while `max_length` is set.',
  sources: [
    'trl 1.0 trainer/sft_trainer.py: “When `padding_free=True` without packing, `max_length` is not enforced.”',
  ],
  dialects: TRL,
  check: when(
    [
      atLeast('trl', '1.0'),
      equals('task', 'sft'),
      on('padding_free'),
      off('packing'),
      readable('max_length'),
      not(holdsNull('max_length')),
    ],
    quote => ({
      at: ['padding_free'],
      message: `TRL rejects ${quote('padding_free')} without packing while max_length is not null (its default is 1024). Turn packing on.`,
      remedies: [setKey('packing', true)],
    }),
  ),
};
