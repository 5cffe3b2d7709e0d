import { TRL } from './rule';
import type { Rule } from './rule';
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
      message: `TRL rejects ${quote('padding_free')} without packing unless max_length is null. Its default is 1024. Turn packing on.`,
      remedies: [setKey('packing', true)],
    }),
  ),
};

export const paddingFreeSingleRow: Rule = {
  id: 'padding-free-single-row',
  severity: 'hint',
  summary: '`padding_free` has no effect on a micro-batch of one.',
  sources: ['trl 1.13 trainer/sft_trainer.py L1193'],
  dialects: TRL,
  check: when([equals('microBatchSize', 1), on('padding_free'), off('packing')], quote => ({
    at: ['padding_free'],
    message: `${quote('padding_free')} does nothing for a micro-batch of 1: a single row has no padding. Raise per_device_train_batch_size, or turn packing on.`,
  })),
};

/** Rows of all data differ in length; above this share, packing roughly halves the steps. */
const MUCH = 0.4;

/** Tasks whose rows frameworks can pack. */
const PACKS: ReadonlySet<string> = new Set(['sft', 'pretrain']);

export const paddingWaste: Rule = {
  id: 'padding-waste',
  severity: 'hint',
  summary: 'Much of a batch is padding; packing avoids it.',
  sources: ['the lengths that were counted of the data: the mean against the expected longest of a batch'],
  check({ data, run }) {
    const { packing, task } = run.quantities;
    if (!data || data.isStale || data.paddingShare === null || data.paddingShare < MUCH) return [];
    if (packing.value !== false || !PACKS.has(task.value ?? '')) return [];
    const message =
      `About ${(data.paddingShare * 100).toFixed(0)} % of a batch is padding because row lengths differ. ` +
      'Packing fills rows to the limit, so fewer steps see the same tokens; memory is then that of full rows.';
    const remedies = [{ title: 'Pack the rows', changes: [{ quantity: 'packing', to: true } as const] }];
    return [{ at: ['quantity:packing', 'quantity:seqLen', 'quantity:model'], message, remedies }];
  },
};
