import { markdownTable } from 'markdown-table';
import { contradictionsIn } from './contradictions';
import type { Halves } from './halves';
import { halvesSections } from './halvesPage';
import { reliabilityOf } from './reliability';
import type { Reliability } from './reliability';
import type { Answer, GroupStatistics } from './statistics';
import { errorOf, statistics } from './statistics';

/** The parts of the accuracy page. */
export interface PageParts {
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
    'Made by `npm run --silent accuracy -- --records FILE… --page docs/accuracy.md`. Estimates are compared with two kinds of',
    'runs: published measurements, of which a record says what it can (A all settings, B most, C few), and simulated runs, in',
    'which a framework’s own code ran on fake tensors. Simulated runs show that the code was read rightly; only published ones',
    'say how far a live job is from it.',
    '',
    countTable(parts),
    '',
    'Errors are shares of what was measured, in the metric in which it was measured; a positive one predicts too much. What was',
    'refused has no error and is in none of the tables but the last.',
    '',
    '## Does the interval hold for a source that nobody has seen?',
    'Nine in ten measurements should lie inside, source by source. _As shipped_ counts published runs with the interval that a',
    'user gets; _left out_ with one whose widths were fitted on all other sources, each weighing alike. _By source_ is the mean of',
    'the shares of all sources.',
    '',
    leftOutTable(published, parts.leftOut),
    '## Groups',
    'Median and p90 are of the errors without their sign, bias is the median with it. _10 % too low_ is the share predicted more',
    'than that too low, _inside_ the share between the lowest and the highest bytes of the estimate. A record counts in several',
    'groups; `by-source` takes one record of each source, the one with the median error. Where a unit is unclear, the record says G',
    'or GB and not whether of 10⁹ or of 2³⁰ bytes: it is read as the latter, unless a row of the same table then shows more',
    'than its GPU has: that table is in thousands of MiB, as `nvidia-smi` prints them.',
    '',
    groupTable(groups.filter(([name]) => !isSimulatedModel(name))),
    '## Is the interval honest?',
    'Nine in ten measurements should lie inside, fewer in half of its width, nearly all in twice of it. First published runs alone:',
    '',
    reliabilityTable(reliabilityOf(published)),
    '',
    'The same with simulated runs, which have to lie inside:',
    '',
    reliabilityTable(parts.reliability),
    ...(parts.halves ? halvesSections(parts.halves) : []),
    '## Sources',
    groupTable(bySource(answers)),
    '## Simulated runs by kind of model',
    'A simulation counts tensors, on models without a checkpoint and without cuBLAS. A user gets an estimate of a live run, whose',
    'blocks are those of torch’s allocator, with cuBLAS’ workspaces beside them: that alone is several per cent of such small models.',
    'The tables above have what a user gets; the last columns say how far the tape is off when it is told to count as the simulation',
    'does.',
    '',
    simulatedTable(groups, parts.simulatorGroups),
    '## The worst',
    'Those among them that contradict other records are in the next table.',
    '',
    worstTable(answers),
    '## Records that contradict each other',
    'Published records of one source that differ, as far as they are read, in nothing or in batch and length alone: either one is',
    'wrong, or what sets them apart is not in the record or was not read from it. They count in the tables above all the same.',
    '',
    contradictionTable(answers),
    '## What is refused, and for which missing fact',
    `The ${MOST_REFUSALS} most frequent; a record that lacks several facts counts for each.`,
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
  if (found.length === 0) return 'None was found.';
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
