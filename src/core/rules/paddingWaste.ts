import type { Rule } from './rule';

/** Rows of any data differ; from here on packing about halves the steps. */
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
