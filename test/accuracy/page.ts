import { markdownTable } from 'markdown-table';
import type { Reliability } from './reliability';
import type { Answer, GroupStatistics } from './statistics';
import { errorOf, statistics } from './statistics';

/** What a page of accuracy is made of. */
export interface PageParts {
  readonly records: number;
  readonly answers: readonly Answer[];
  readonly groups: Readonly<Record<string, GroupStatistics>>;
  readonly refused: Readonly<Record<string, number>>;
  readonly reliability: readonly Reliability[];
}

const MOST_REFUSALS = 25;
const MOST_WORST = 25;

/** docs/accuracy.md: everything on it is counted here, nothing is written by hand. */
export function accuracyPage(parts: PageParts): string {
  const { records, answers } = parts;
  const sections = [
    '# How accurate the memory model is',
    'Made by `npm run --silent accuracy -- --records FILE… --page docs/accuracy.md`; what the columns mean is on the page on',
    'memory. Errors are shares of what was measured, in the metric in which it was measured; a positive one predicts too much.',
    '',
    `${answers.length} of ${records} records are answered.`,
    '## Groups',
    groupTable(Object.entries(parts.groups)),
    '## Is the interval honest?',
    'Nine in ten measurements should lie inside, fewer in half of its width, nearly all in twice of it.',
    '',
    reliabilityTable(parts.reliability),
    '## Sources',
    groupTable(bySource(answers)),
    '## The worst',
    'A source or two of them contradict what others measured under the same settings: see the page on memory.',
    '',
    worstTable(answers),
    '## What is refused, and for which missing fact',
    refusedTable(parts.refused),
  ];
  return `${sections
    .map(text => (text.startsWith('#') || text.startsWith('|') ? `\n${text}\n` : text))
    .join('\n')
    .trim()}\n`.replace(/\n{3,}/g, '\n\n');
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
