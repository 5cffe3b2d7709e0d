import type { HostReading, HostState } from '../../gpu/fleet';
import { nodeTimers } from '../../gpu/timers';
import { EXIT } from '../exit';
import type { ExitCode } from '../exit';
import { firstReadings } from '../gpus/first';
import { hostsFor } from '../gpus/hosts';
import type { HostOptions } from '../gpus/hosts';
import { gpusDocument } from '../gpus/json';
import { showLive } from '../gpus/live';
import type { Screen } from '../gpus/live';
import { hostText } from '../gpus/rows';
import { terminalOutput } from '../output';
import type { OutputOptions } from '../output';

interface GpusOptions extends OutputOptions, HostOptions {
  readonly json?: boolean;
  readonly watch?: boolean;
  /** Seconds between two readings. */
  readonly interval: number;
}

/** `headroom gpus`: the GPUs of this machine, of hosts behind SSH, and what clusters have free. */
export async function gpus(options: GpusOptions): Promise<void> {
  const watches = hostsFor(options, options.interval * 1000);
  const output = terminalOutput(options);
  try {
    if (options.watch) {
      const stop = showLive(watches, {
        json: options.json === true,
        output,
        screen: process.stdout.isTTY ? terminal : null,
        timers: nodeTimers,
      });
      await interrupted();
      stop();
      return;
    }
    const readings = await firstReadings(watches, nodeTimers);
    if (options.json) output.out(JSON.stringify(gpusDocument(readings), null, 2));
    else output.out(readings.map(reading => toldOf(reading)).join('\n\n'));
    process.exitCode = exitCodeOf(readings);
  } finally {
    for (const watch of watches) watch.dispose();
  }
}

/** A machine without GPUs is no fault, and needs no advice. */
function toldOf(reading: HostReading): string {
  const { host, status, devices } = reading;
  const hasNone = host.kind === 'local' && isWithout(status.state) && devices.length === 0;
  return hasNone ? 'No GPU was found on this machine.' : hostText(reading);
}

const isWithout = (state: HostState): boolean => state === 'no-tool' || state === 'no-gpu';

const WELL: readonly HostState[] = ['live', 'no-gpu', 'asleep'];

/** Undecided as soon as one host did not say what it has. */
export function exitCodeOf(readings: readonly HostReading[]): ExitCode {
  const isWell = readings.every(
    ({ host, status: { state } }) => WELL.includes(state) || (host.kind === 'local' && isWithout(state)),
  );
  return isWell ? EXIT.fits : EXIT.undecided;
}

const terminal: Screen = {
  get columns() {
    return process.stdout.columns;
  },
  get rows() {
    return process.stdout.rows;
  },
  write: text => void process.stdout.write(text),
};

/** Until Ctrl-C, or until whoever started this ends it. */
function interrupted(): Promise<void> {
  const alive = setInterval(() => undefined, 3_600_000);
  return new Promise<void>(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  }).finally(() => clearInterval(alive));
}
