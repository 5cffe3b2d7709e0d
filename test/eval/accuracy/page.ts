import { markdownTable } from 'markdown-table';
import { contradictionsIn } from './contradictions';
import type { Halves } from './halves';
import type { GuessFit } from './guesses';
import { halvesSections } from './halvesPage';
import { reliabilityOf } from './reliability';
import type { Reliability } from './reliability';
import { errorOf, statistics } from './statistics';
import type { Answer, GroupStatistics } from './statistics';

/** The part of docs/accuracy.md about facts that are guessed. */
function guessSection(fits: readonly GuessFit[]): readonly string[] {
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

/** The parts of the accuracy page. */
interface PageParts {
  readonly records: number;
  /** How many of them are simulated. */
  readonly simulated: number;
  readonly answers: readonly Answer[];
  /** From the user's view. */
  readonly groups: Readonly<Record<string, GroupStatistics>>;
  /** Simulated runs, estimated with the simulator's behavior. */
  readonly simulatorGroups: Readonly<Record<string, GroupStatistics>>;
  readonly refused: Readonly<Record<string, number>>;
  readonly reliability: readonly Reliability[];
  /** Published ones, with intervals that their own source had no part in. */
  readonly leftOut: readonly Answer[];
  readonly halves: Halves | null;
  readonly guesses: readonly GuessFit[] | null;
}

const MOST_REFUSALS = 25;
const MOST_WORST = 25;

/** docs/accuracy.md: everything on it is computed here, nothing is written by hand. */
export function accuracyPage(parts: PageParts): string {
  const { answers } = parts;
  const groups = Object.entries(parts.groups);
  const published = answers.filter(({ measured }) => !measured.groups.includes('simulated'));
  const sections = [
    '# How accurate the memory model is',
    '`npm run --silent accuracy -- --records FILE… --page docs/accuracy.md` writes this page. It compares estimates with two kinds of runs:',
    'published measurements, whose records state all settings (class A), most (B) or few (C), and simulated runs, in which a framework’s own',
    'code ran on fake tensors. Simulated runs show that the code was read correctly. Only published runs show how far an estimate is from a',
    'live job.',
    '',
    countTable(parts),
    '',
    'An error is a share of the measured memory, in the metric of the measurement. A positive error means that the estimate is too high.',
    'Refused records have no error, and are only in the last table.',
    '',
    '## Does the interval hold for unseen sources?',
    'Nine in ten measurements should be inside, source by source. _As shipped_ counts published runs with the interval that a user gets.',
    '_Left out_ counts them with an interval whose widths were fitted on all other sources, with equal weights. _By source_ is the mean of the',
    'shares of all sources.',
    '',
    leftOutTable(published, parts.leftOut),
    '## Groups',
    'Median and p90 are of the errors without their sign; bias is the median with it. _10 % too low_ is the share of estimates that are more',
    'than 10 % too low. _Inside_ is the share of measurements between the lowest and the highest bytes of the estimate. A record counts in',
    'several groups. `by-source` takes one record of each source, the one with the median error. If a unit is unclear, the record states G or',
    'GB, but not whether it means 10⁹ or 2³⁰ bytes. It is read as 2³⁰ bytes, unless a row of the same table then shows more than its GPU has.',
    'Such a table is in thousands of MiB, as `nvidia-smi` prints them.',
    '',
    groupTable(groups.filter(([name]) => !isSimulatedModel(name))),
    '## Is the interval honest?',
    'Nine in ten measurements should be inside, fewer in half of the width, and nearly all in twice the width. For published runs only:',
    '',
    reliabilityTable(reliabilityOf(published)),
    '',
    'With simulated runs, which must be inside:',
    '',
    reliabilityTable(parts.reliability),
    ...(parts.guesses ? guessSection(parts.guesses) : []),
    ...(parts.halves ? halvesSections(parts.halves) : []),
    '## Sources',
    groupTable(bySource(answers)),
    '## Simulated runs by kind of model',
    'A simulation counts tensors, on models without a checkpoint and without cuBLAS. A user gets an estimate of a live run, with the blocks of',
    'torch’s allocator and cuBLAS’ workspaces, which alone are several percent of such small models. The tables above show what a user gets.',
    'The last two columns show the error if the tape counts in the same way as the simulation.',
    '',
    simulatedTable(groups, parts.simulatorGroups),
    '## The largest errors',
    'Records of this table that contradict other records are also in the next table.',
    '',
    worstTable(answers),
    '## Records that contradict each other',
    'These are published records of one source whose settings, as far as they are read, are equal or differ only in batch and length. Either',
    'one record is wrong, or the difference is not in the record or was not read from it. The tables above include them nevertheless.',
    '',
    contradictionTable(answers),
    '## What is refused, and for which missing fact',
    `The ${MOST_REFUSALS} most frequent missing facts. A record that lacks several facts counts for each.`,
    '',
    refusedTable(parts.refused),
  ];
  return `${sections
    .map(text => (text.startsWith('#') || text.startsWith('|') ? `\n${text}\n` : text))
    .join('\n')
    .trim()}\n`.replace(/\n{3,}/g, '\n\n');
}

function simulatedTable(
  groups: readonly (readonly [string, GroupStatistics])[],
  simulator: PageParts['simulatorGroups'],
): string {
  const rows = groups
    .filter(([name, { n }]) => (name === 'simulated' || isSimulatedModel(name)) && n > 0)
    .map(([name, { n, median, p90, bias, coverage }]) => {
      const own = simulator[name];
      return [
        name,
        String(n),
        ...[median, p90, bias, coverage, own?.median ?? null, own?.p90 ?? null].map(percent),
      ];
    });
  const head = ['group', 'n', 'median', 'p90', 'bias', 'inside', 'median as simulated', 'p90 as simulated'];
  return markdownTable([head, ...rows]);
}

const isSimulatedModel = (group: string): boolean => group.startsWith('simulated-');

/** The number of records of each kind, and of those with an estimate. */
function countTable({ records, simulated, answers }: PageParts): string {
  const answered = answers.filter(({ measured }) => measured.groups.includes('simulated')).length;
  const row = (kind: string, all: number, some: number): string[] =>
    [kind, all, some, all - some].map(String);
  return markdownTable([
    ['records', 'compared', 'answered', 'refused'],
    row('simulated', simulated, answered),
    row('published', records - simulated, answers.length - answered),
    row('all', records, answers.length),
  ]);
}

function contradictionTable(answers: readonly Answer[]): string {
  const gib = ({ measured }: Answer): string => (measured.bytes / 2 ** 30).toFixed(2);
  const found = contradictionsIn(answers);
  if (found.length === 0) return 'There are none.';
  return markdownTable([
    ['record', 'GiB', 'record', 'GiB', 'why'],
    ...found.map(({ a, b, why }) => [a.measured.id, gib(a), b.measured.id, gib(b), why]),
  ]);
}

/** By metric: how many lie inside, run by run and source by source. */
function leftOutTable(shipped: readonly Answer[], leftOut: readonly Answer[]): string {
  const rows = ['allocated', 'reserved', 'device', 'all'].map(metric => {
    const of = (answers: readonly Answer[]): readonly Answer[] =>
      answers.filter(({ measured }) => metric === 'all' || measured.metric === metric);
    const [own, others] = [of(shipped), of(leftOut)];
    const width = (answers: readonly Answer[]): string =>
      percent(reliabilityOf(answers).at(-1)?.width ?? null);
    return [
      metric,
      String(own.length),
      ...[statistics(own).coverage, meanOfSources(own)].map(percent),
      width(own),
      ...[statistics(others).coverage, meanOfSources(others)].map(percent),
      width(others),
    ];
  });
  const head = [
    'metric',
    'n',
    'as shipped',
    'by source',
    'width',
    'left out',
    'left out, by source',
    'width',
  ];
  return markdownTable([head, ...rows]);
}

/** The share inside, each source weighing alike. */
function meanOfSources(answers: readonly Answer[]): number | null {
  const shares = bySource(answers).map(([, { coverage }]) => coverage ?? 0);
  return shares.length === 0 ? null : shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

const percent = (share: number | null): string => (share === null ? '' : `${(share * 100).toFixed(1)} %`);

function groupTable(groups: readonly (readonly [string, GroupStatistics])[]): string {
  const rows = groups
    .filter(([, { n }]) => n > 0)
    .map(([name, { n, median, p90, bias, under10, coverage }]) => [
      name,
      String(n),
      ...[median, p90, bias, under10, coverage].map(percent),
    ]);
  const head = ['group', 'n', 'median', 'p90', 'bias', '10 % too low', 'inside'];
  return markdownTable([head, ...rows]);
}

function bySource(answers: readonly Answer[]): readonly (readonly [string, GroupStatistics])[] {
  const names = [...new Set(answers.map(({ measured }) => measured.source))];
  return names
    .map(name => [name, statistics(answers.filter(({ measured }) => measured.source === name))] as const)
    .toSorted(([, a], [, b]) => b.n - a.n);
}

function reliabilityTable(rows: readonly Reliability[]): string {
  const head = ['metric', 'n', 'in half', 'inside', 'in twice', 'below', 'above', 'width'];
  return markdownTable([
    head,
    ...rows.map(({ metric, n, half, inside, twice, below, above, width }) => [
      metric,
      String(n),
      ...[half, inside, twice, below, above, width].map(percent),
    ]),
  ]);
}

function worstTable(answers: readonly Answer[]): string {
  const worst = answers.toSorted((a, b) => Math.abs(errorOf(b)) - Math.abs(errorOf(a))).slice(0, MOST_WORST);
  const gib = (bytes: number): string => (bytes / 2 ** 30).toFixed(2);
  return markdownTable([
    ['record', 'predicted GiB', 'measured GiB', 'error'],
    ...worst.map(answer => [
      answer.measured.id,
      gib(answer.predicted),
      gib(answer.measured.bytes),
      percent(errorOf(answer)),
    ]),
  ]);
}

function refusedTable(refused: Readonly<Record<string, number>>): string {
  const most = Object.entries(refused).slice(0, MOST_REFUSALS);
  return markdownTable([['missing', 'records'], ...most.map(([fact, count]) => [fact, String(count)])]);
}
