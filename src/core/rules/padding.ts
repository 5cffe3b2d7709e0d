import { datasetsOf } from '../dialects/datasetsOf';
import { longestOfDrawn, publishedLengths } from '../lengths/published';
import type { Change } from '../spec/change';
import type { RunSpec } from '../spec/runSpec';
import { formatShare } from '../units';
import { lessTime, ratioOfEach, timedStep } from './gain';
import { TRL } from './rule';
import type { Rule, RuleContext } from './rule';
import { atLeast, change, equals, holdsNull, not, off, on, readable, setKey, when } from './when';

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
    (quote, { say }) => ({
      at: ['padding_free'],
      message: say(
        'TRL rejects {0} without packing unless max_length is null. Its default is 1024. Turn packing on.',
        quote('padding_free'),
      ),
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
  check: when([equals('microBatchSize', 1), on('padding_free'), off('packing')], (quote, { say }) => ({
    at: ['padding_free'],
    message: say(
      '{0} does nothing for a micro-batch of 1: a single row has no padding. Raise per_device_train_batch_size, or turn packing on.',
      quote('padding_free'),
    ),
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
  sources: [
    'the lengths that were counted of the data: the mean against the expected longest of a batch',
    'ms-swift docs, Supported datasets: mean, deviation and longest of public data, if nobody counted',
  ],
  check(context) {
    const { packing, task } = context.run.quantities;
    if (packing.value !== false || !PACKS.has(task.value ?? '')) return [];
    const share = countedPadding(context) ?? publishedPadding(context.run);
    if (share === null || share < MUCH) return [];
    const pack = change(context.say('Pack the rows'), { quantity: 'packing', to: true });
    const message = wasteText(context, share, pack.changes);
    return [{ at: ['quantity:packing', 'quantity:seqLen', 'quantity:model'], message, remedies: [pack] }];
  },
};

function countedPadding({ data }: RuleContext): number | null {
  return data && !data.isStale ? data.paddingShare : null;
}

/** Padding of a batch of one public dataset's rows; null: its lengths are not published, or nothing is padded. */
function publishedPadding(run: RunSpec): number | null {
  const { microBatchSize, seqLen } = run.quantities;
  const [dataset, ...others] = datasetsOf(run);
  const lengths = dataset && others.length === 0 ? publishedLengths(dataset.path) : null;
  if (!lengths || lengths.hasPictures || (microBatchSize.value ?? 1) < 2) return null;
  // A limit cuts the rows above it, whose share is not published.
  const longest = longestOfDrawn(lengths, microBatchSize.value ?? 1);
  return longest <= 0 || longest > (seqLen.value ?? 0) ? null : 1 - lengths.mean / longest;
}

/** With the time that packing saves, where the speed model has an answer. */
function wasteText(context: RuleContext, padding: number, changes: readonly Change[]): string {
  const { say } = context;
  const step = timedStep(context, 'same');
  const ratio = step && ratioOfEach(context, step.speed, changes);
  return ratio === null
    ? say(
        'About {0} of a batch is padding because row lengths differ. Packing fills rows to the limit, so fewer steps see the same tokens; memory is then that of full rows.',
        formatShare(padding),
      )
    : say(
        'About {0} of a batch is padding because row lengths differ: {1} if packed. Packing fills rows to the limit, so fewer steps see the same tokens; memory is then that of full rows.',
        formatShare(padding),
        lessTime(say, 1 - (1 - padding) * ratio),
      );
}
