import { markdownTable } from 'markdown-table';
import type { ConstantRow, Halves, ScoreRow } from './halves';

/** The part of docs/accuracy.md about constants from measurements. */
export function halvesSections({ sources, constants, scores }: Halves): readonly string[] {
  return [
    '## Are the measured constants right for other runs?',
    'Constants that cannot be derived come from measurements: `src/core/memory/calibration.ts` names the source of each. Here the',
    `sources of the published measurements are split in two by their names (A has ${sources.A}, B has ${sources.B}); each constant is fitted on one`,
    'half alone and scored on the other. A number is fitted as the median of the sources’ medians of what would have been right,',
    'the other numbers as shipped; a spread so wide that 95 of 100 lie inside on either side, one after the other. Shipped values',
    'are not these fits: most come from single tables, and some of those are among these sources, so that the shipped score is',
    'not one on unseen runs. Where a half has fewer than eight records nothing is fitted. `typicalShares` ranks candidates only',
    'and is in no published figure.',
    '',
    scoreTable(scores),
    '',
    'Each constant. A number is scored by the median error of the records that it matters for, a spread by the share inside.',
    '',
    constantTable(constants),
  ];
}

const percent = (share: number | null): string => (share === null ? '' : `${(share * 100).toFixed(1)} %`);

function scoreTable(scores: readonly ScoreRow[]): string {
  return markdownTable([
    ['scored on', 'constants', 'n', 'median', 'p90', 'bias', 'inside'],
    ...scores.map(({ scoredOn, constants, statistics: { n, median, p90, bias, coverage } }) => [
      scoredOn,
      constants,
      String(n),
      ...[median, p90, bias, coverage].map(percent),
    ]),
  ]);
}

function constantTable(rows: readonly ConstantRow[]): string {
  return markdownTable([
    [
      'constant',
      'shipped',
      'fit on A (n)',
      'its score on B',
      'shipped on B',
      'fit on B (n)',
      'its score on A',
      'shipped on A',
    ],
    ...rows.map(({ name, shipped, fits: { A, B } }) => [
      name,
      shipped,
      ...[A, B].flatMap(({ n, value, score, shippedScore }) => [
        `${value ?? '–'} (${n})`,
        percent(score),
        percent(shippedScore),
      ]),
    ]),
  ]);
}
