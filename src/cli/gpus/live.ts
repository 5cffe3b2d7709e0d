import { json } from '../../core/text/terminal';
import { visible } from '../../core/text/visible';
import type { HostReading, HostWatch } from '../../gpu/fleet';
import type { Timers } from '../../gpu/timers';
import type { Output } from '../output';
import { adviceText, WatchedAdvice } from './advice';
import { deviceCells, gpusDocument, hostText } from './rows';

/** A screen on which output can be redrawn in place. */
export interface Screen {
  readonly columns: number;
  readonly rows: number;
  write(text: string): void;
}

interface LiveOptions {
  readonly json: boolean;
  readonly output: Output;
  /** Null: lines are appended. */
  readonly screen: Screen | null;
  readonly timers: Timers;
}

/** Updates within this time are drawn together. */
const TOGETHER_MS = 100;

/** Shows readings as they arrive until the returned function is called. */
export function showLive(watches: readonly HostWatch[], options: LiveOptions): () => void {
  const advice = new WatchedAdvice(options.timers);
  const show = options.json
    ? jsonLines(options.output, advice)
    : options.screen === null
      ? textLines(options.output, advice)
      : picture(options.screen, watches, advice);
  const waiting = new Set<HostWatch>();
  const isNew = onceEachTick();
  let cancel: (() => void) | null = null;
  const draw = () => {
    cancel = null;
    const now = [...waiting];
    waiting.clear();
    const readings = now.map(watch => watch.reading);
    // A screen is redrawn, but a printed line stays, so print each tick once.
    show(options.screen && !options.json ? readings : readings.filter(isNew));
  };
  const stops = watches.map(watch =>
    watch.on(reading => {
      advice.note(reading);
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

/** A machine's tick arrives in several events: true for the first with new numbers or another state. */
function onceEachTick(): (reading: HostReading) => boolean {
  const before = new Map<string, string>();
  return ({ host, status, samples, capacities }) => {
    const stamps = samples.map(({ key, receivedMs }) => [key, receivedMs]);
    const tick = JSON.stringify([status.state, status.message, stamps, capacities]);
    if (before.get(host.id) === tick) return false;
    before.set(host.id, tick);
    return true;
  };
}

type Show = (readings: readonly HostReading[]) => void;

/** One JSON document per line for each host with an update. */
function jsonLines({ out }: Output, advice: WatchedAdvice): Show {
  return readings => {
    for (const reading of readings) {
      out(json({ ...gpusDocument([reading]), advice: advice.of(reading) }));
    }
  };
}

/** One line for each GPU or place with an update, with the time, for logs and pipes; advice when it is new. */
function textLines({ out }: Output, advice: WatchedAdvice): Show {
  const before = new Map<string, string>();
  let advised = new Set<string>();
  return readings => {
    for (const reading of readings) {
      for (const line of linesOf(reading)) out(line);
      const given = advice.of(reading);
      const ids = given.map(one => `${one.host}/${one.key}/${one.rule}`);
      given.forEach((one, i) => {
        if (!advised.has(ids[i] ?? '')) out(`${reading.host.name} · ${adviceText(one)}`);
      });
      const others = [...advised].filter(id => !id.startsWith(`${reading.host.id}/`));
      advised = new Set([...others, ...ids]);
      const { host, status } = reading;
      const statusText = `${status.state} ${status.message ?? ''}`;
      if (before.get(host.id) !== statusText && status.state !== 'live') {
        out([host.name, status.state, status.message, status.todo].filter(Boolean).join(' · '));
      }
      before.set(host.id, statusText);
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

/** All hosts, redrawn in place. */
function picture(screen: Screen, watches: readonly HostWatch[], advice: WatchedAdvice): Show {
  let height = 0;
  return () => {
    const lines = watches
      .flatMap(({ reading }) => {
        const given = advice.of(reading).flatMap(one => wrapped(adviceText(one), screen.columns));
        return [...hostText(reading).raw.split('\n'), ...given.map(visible), ''];
      })
      .slice(0, -1);
    const most = Math.max(1, screen.rows - 1);
    const left = lines.length - most + 1;
    const shown = lines.length > most ? [...lines.slice(0, most - 1), `… ${left} more lines`] : lines;
    const up = height === 0 ? '' : `${ESCAPE}${height}A`;
    // A line that wraps would count as two.
    const text = shown.map(line => `${truncate(line, screen.columns)}${ESCAPE}K\n`).join('');
    screen.write(`${up}\r${text}${ESCAPE}J`);
    height = shown.length;
  };
}

const truncate = (line: string, columns: number): string =>
  line.length > columns ? `${line.slice(0, Math.max(0, columns - 1))}…` : line;

/** Wraps at spaces to a line length. */
function wrapped(text: string, columns: number): readonly string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + 1 + word.length > columns) lines.push(`  ${word}`);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}
