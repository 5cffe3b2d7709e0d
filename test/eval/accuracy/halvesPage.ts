import { markdownTable } from 'markdown-table';
import type { ConstantRow, Halves, ScoreRow } from './halves';

/** The part of docs/accuracy.md about constants from measurements. */
export function halvesSections({ sources, constants, scores }: Halves): readonly string[] {
  return [
    '## Are the measured constants right for other runs?',
    'Constants that cannot be derived come from measurements: `src/core/memory/calibration.ts` names the source of each. Here, the sources of',
    `the published measurements are split in two by their names (A has ${sources.A}, B has ${sources.B}). Each constant is fitted on one half only and scored on`,
    'the other. The fit of a number is the median of the sources’ medians of the values that would have been right, with the other numbers as',
    'shipped. A spread is fitted so that 95 of 100 measurements are inside on either side, one spread after the other. Shipped values are not',
    'these fits: most come from single tables, and some of these tables are among the sources, so the shipped score is not a score on unseen',
    'runs. If a half has fewer than eight records, nothing is fitted. `typicalShares` only ranks candidates and is in no published figure.',
    '',
    scoreTable(scores),
    '',
    'The table lists each constant. A number is scored by the median error of the records that it affects, a spread by the share inside.',
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
