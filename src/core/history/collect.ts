import { basename, dirname } from '../text/paths';
import type { LogFacts, LogFiles, LogFolder, LoggedPeak, LoggedSpeed } from './logs';
import { logReaders } from './readers/registry';

/** A run as the logs in its folder describe it. */
export interface PastRun extends Omit<LogFacts, 'reader'> {
  /** The formats it was read from, by id. */
  readonly readers: readonly string[];
}

/** The logs of one folder. A reader that fails loses only its own log. */
export async function factsIn(folder: LogFolder, files: LogFiles): Promise<readonly LogFacts[]> {
  const found: LogFacts[] = [];
  for (const reader of logReaders) found.push(...(await reader.read(folder, files)));
  return found;
}

/** Runs by place, in the order in which they were found: several logs may describe one. */
export function pastRuns(facts: readonly LogFacts[]): readonly PastRun[] {
  const byRun = new Map<string, LogFacts[]>();
  for (const one of facts) {
    const same = byRun.get(one.run);
    if (same) same.push(one);
    else byRun.set(one.run, [one]);
  }
  const runs = [...byRun.values()].map(together);
  return runs.filter(one => !isCopyOfLatest(one, runs));
}

function together(facts: readonly LogFacts[]): PastRun {
  const first = <T>(of: (one: LogFacts) => T | null): T | null =>
    facts.map(of).find(one => one !== null) ?? null;
  return {
    run: facts[0]?.run ?? '',
    readers: [...new Set(facts.map(({ reader }) => reader))],
    atMs: first(({ atMs }) => (isTime(atMs) ? atMs : null)),
    gpu: first(({ gpu }) => gpu),
    peaks: highest(facts.flatMap(({ peaks }) => peaks)),
    speed: steadiest(facts.flatMap(({ speed }) => speed ?? [])),
    steps: facts.reduce<number | null>(
      (most, { steps }) => (steps === null ? most : Math.max(steps, most ?? 0)),
      null,
    ),
    configs: uniqueConfigs(facts),
    versions: Object.assign({}, ...facts.map(({ versions }) => versions)) as PastRun['versions'],
  };
}

/** What a JavaScript Date can hold (ECMA-262, 21.4.1.1); a damaged log may state any number. */
const MOST_MS = 8.64e15;

const isTime = (ms: number | null): boolean => ms !== null && Math.abs(ms) <= MOST_MS;

/** The highest peak of each metric. */
function highest(peaks: readonly LoggedPeak[]): readonly LoggedPeak[] {
  const most = new Map<string, LoggedPeak>();
  for (const peak of peaks) {
    const before = most.get(peak.metric);
    if (!before || peak.bytes > before.bytes) most.set(peak.metric, peak);
  }
  return [...most.values()];
}

/** Times of steps alone win over averages of the whole run. */
const steadiest = (speeds: readonly LoggedSpeed[]): LoggedSpeed | null =>
  speeds.find(({ isWhole }) => !isWhole) ?? speeds[0] ?? null;

const uniqueConfigs = (facts: readonly LogFacts[]): PastRun['configs'] => [
  ...new Map(facts.flatMap(({ configs }) => configs).map(config => [config.path, config])).values(),
];

/** wandb's `latest-run` is a link; copied folders have it twice. */
const isCopyOfLatest = ({ run, atMs }: PastRun, runs: readonly PastRun[]): boolean =>
  basename(run) === 'latest-run' &&
  atMs !== null &&
  runs.some(one => one.run !== run && one.atMs === atMs && dirname(one.run) === dirname(run));
