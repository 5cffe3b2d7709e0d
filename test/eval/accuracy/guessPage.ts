import { markdownTable } from 'markdown-table';
import type { GuessFit } from './guesses';

/** The part of docs/accuracy.md about facts that are guessed. */
export function guessSection(fits: readonly GuessFit[]): readonly string[] {
  return [
    '## How far off are guesses?',
    'Where nothing states a fact, a guess stands for it, without a verdict and with a wide interval. Records of published training state the',
    'fact: here it is struck out, and the measured memory is a share of the estimate with the guess. The limits are the 3rd and the 97th of 100',
    'such shares, all sources weighing alike. _Left out_ counts the measurements of each source inside limits that were fitted on the other',
    'sources; _half to twice_ those inside an interval from half of the estimate to twice.',
    '',
    markdownTable([
      [
        'struck out',
        'n',
        'sources',
        'low',
        'median',
        'high',
        'left out',
        'by source',
        'half to twice',
        'by source',
      ],
      ...fits.map(fit => [
        fit.guess,
        String(fit.runs),
        String(fit.sources),
        ...[fit.low, fit.median, fit.high].map(share => share.toFixed(2)),
        ...[fit.leftOut, fit.leftOutBySource, fit.halfToTwice, fit.halfToTwiceBySource].map(
          share => `${(share * 100).toFixed(1)} %`,
        ),
      ]),
    ]),
    '',
  ];
}
