import type { HostReading, HostWatch } from '../../gpu/fleet';
import type { Timers } from '../../gpu/timers';
import type { Output } from '../output';
import { gpusDocument } from './json';
import { deviceCells, hostText } from './rows';

/** Where a picture that stands still can be drawn. */
export interface Screen {
  readonly columns: number;
  readonly rows: number;
  write(text: string): void;
}

export interface LiveOptions {
  readonly json: boolean;
  readonly output: Output;
  /** Null: lines are printed one below the other. */
  readonly screen: Screen | null;
  readonly timers: Timers;
}

/** What came in is drawn together. */
const TOGETHER_MS = 100;

/** Shows readings as they come until the returned function is called. */
export function showLive(watches: readonly HostWatch[], options: LiveOptions): () => void {
  const show = options.json
    ? jsonLines(options.output)
    : options.screen === null
      ? textLines(options.output)
      : picture(options.screen, watches);
  const waiting = new Set<HostWatch>();
  let cancel: (() => void) | null = null;
  const draw = () => {
    cancel = null;
    const now = [...waiting];
    waiting.clear();
    show(now.map(watch => watch.reading));
  };
  const stops = watches.map(watch =>
    watch.on(() => {
      waiting.add(watch);
      cancel ??= options.timers.after(TOGETHER_MS, draw);
    }),
  );
  const releases = watches.map(watch => watch.hold());
  return () => {
    for (const stop of stops) stop();
    cancel?.();
    for (const release of releases) release();
  };
}

type Show = (news: readonly HostReading[]) => void;

/** One document a line for each host that has news. */
function jsonLines({ out }: Output): Show {
  return news => {
    for (const reading of news) out(JSON.stringify(gpusDocument([reading])));
  };
}

/** One line for each GPU or place that has news, with the time, for logs and pipes. */
function textLines({ out }: Output): Show {
  const before = new Map<string, string>();
  return news => {
    for (const reading of news) {
      for (const line of linesOf(reading)) out(line);
      const { host, status } = reading;
      const told = `${status.state} ${status.message ?? ''}`;
      if (before.get(host.id) !== told && status.state !== 'live') {
        out([host.name, status.state, status.message, status.todo].filter(Boolean).join(' · '));
      }
      before.set(host.id, told);
    }
  };
}

function linesOf({ host, status, devices, samples, capacities }: HostReading): readonly string[] {
  if (status.state !== 'live') return [];
  const gpus = samples.flatMap(sample => {
    const device = devices.find(({ key }) => key === sample.key);
    if (!device) return [];
    const time = new Date(sample.receivedMs).toISOString();
    return [time, host.name, 'GPU', ...deviceCells(device, sample)]
      .join(' · ')
      .replace(' · GPU · ', ' · GPU ');
  });
  const places = capacities.map(({ place, gpu, gpusFree, gpusTotal }) =>
    [host.name, place, gpu ?? 'any GPU', `${gpusFree ?? 'n/a'} of ${gpusTotal} free`].join(' · '),
  );
  return [...gpus, ...places];
}

const ESCAPE = '\u001b[';

/** All hosts, drawn over what was drawn before. */
function picture(screen: Screen, watches: readonly HostWatch[]): Show {
  let height = 0;
  return () => {
    const lines = watches
      .map(watch => hostText(watch.reading))
      .join('\n\n')
      .split('\n');
    const most = Math.max(1, screen.rows - 1);
    const left = lines.length - most + 1;
    const shown = lines.length > most ? [...lines.slice(0, most - 1), `… ${left} more lines`] : lines;
    const up = height === 0 ? '' : `${ESCAPE}${height}A`;
    // A line that wraps would count as two.
    const text = shown.map(line => `${cut(line, screen.columns)}${ESCAPE}K\n`).join('');
    screen.write(`${up}\r${text}${ESCAPE}J`);
    height = shown.length;
  };
}

const cut = (line: string, columns: number): string =>
  line.length > columns ? `${line.slice(0, Math.max(0, columns - 1))}…` : line;
