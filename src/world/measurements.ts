import { constants } from 'node:fs';
import { mkdir, open, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Measurement } from '../core/learn/measurement';
import { keptIn } from '../core/learn/lookups';
import type { MeasurementFiles, MeasurementLookup } from '../core/learn/lookups';
import { measurementLine, readMeasurements } from '../core/learn/readMeasurements';
import { ratesLine, readRates, readSpeeds, speedLine } from '../core/learn/pastSpeed';
import type { PastSpeed } from '../core/learn/pastSpeed';
import type { MeasuredRates } from '../core/hardware/measuredRates';
import type { Files } from '../core/text/files';
import { MEASUREMENTS } from '../core/text/paths';
import { nodeEnvironment } from './environment';
import type { Environment } from './environment';
import { boundedText, whyNotRegular } from '../files/bounded';
import { replaceFile } from '../files/replaceFile';
import { NearbyFiles } from './nearbyFiles';
import { filesOf, ProgramFiles } from './programFiles';

/** The user's own measurements from all workspaces; they are used if the file exists. */
export function userMeasurements({ variables, home }: Environment): string {
  const data = variables['XDG_DATA_HOME'];
  return `${data === undefined || data === '' ? `${home}/.local/share` : data}/headroom/measurements.jsonl`;
}

/** The measurements in `measurements.jsonl` files near a config. */
export class MeasuredRuns implements MeasurementFiles {
  private readonly kept: NearbyFiles<ReturnType<typeof keptIn>>;
  private readonly programs = new ProgramFiles();

  constructor(
    files: Files,
    private readonly version: string,
    /** The user's own file; null: it is not used. */
    private readonly own: string | null,
  ) {
    this.kept = new NearbyFiles(MEASUREMENTS, async path => {
      const answer = await files.read(path);
      return keptIn('text' in answer ? answer.text : null);
    });
  }

  async near(file: string): Promise<MeasurementLookup> {
    const { paths, contents } = await this.kept.near(file, this.own === null ? [] : [this.own]);
    const checked = contents.map(({ measurements }, i) =>
      Promise.all(measurements.map(one => this.programs.checked(one, paths[i] ?? ''))),
    );
    const measurements = (await Promise.all(checked)).flat();
    const files = measurements.flatMap(({ program }) => (program ? filesOf(program) : []));
    const speeds = contents.flatMap(one => one.speeds);
    const rates = contents.flatMap(one => one.rates);
    return { measurements, speeds, rates, dependencies: [...paths, ...files], by: this.version };
  }

  /** Adds a measurement to `file`, or to the user's own. */
  async keep(measurement: Measurement, file: string | null): Promise<void> {
    const to = file ?? this.own;
    if (to !== null) await keepMeasurement(to, measurement);
    this.forget();
  }

  forget(): void {
    this.kept.forget();
    this.programs.forget();
  }
}

/**
 * The workspace's file for a config: the nearest that exists, else one in `top`. A native path. `kept` is its name
 * relative to a folder.
 */
export async function measurementFileFor(config: string, top: string, kept = MEASUREMENTS): Promise<string> {
  for (let at = dirname(config); ; at = dirname(at)) {
    const file = join(at, kept);
    const exists = await stat(file).then(
      found => found.isFile(),
      () => false,
    );
    if (exists) return file;
    if (at === top || at === dirname(at)) return join(top, kept);
  }
}

/** Where measurements are kept: for this workspace, for all of the user's, or not at all. */
export type KeptFor = 'workspace' | 'user' | 'nobody';

/** The file that keeps measurements of a config's runs, both native paths; null: none. */
export async function measurementsFor(config: string, top: string, kept: KeptFor): Promise<string | null> {
  if (kept === 'nobody') return null;
  return kept === 'user' ? userMeasurements(nodeEnvironment()) : measurementFileFor(config, top);
}

const { O_APPEND, O_CREAT, O_NONBLOCK, O_RDWR } = constants;
/** Without O_NONBLOCK, a pipe without a reader could block this call. */
const APPEND = O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK;

/**
 * Appends a line and flushes it to disk. Concurrent writers do not split each other's lines: each line is one
 * write.
 */
export const keepMeasurement = (file: string, measurement: Measurement): Promise<void> =>
  keepLine(file, measurementLine(measurement));

/** The same for the speed of a run. */
export const keepSpeed = (file: string, speed: PastSpeed): Promise<void> => keepLine(file, speedLine(speed));

/** The same for what a GPU reaches. */
export const keepRates = (file: string, rates: MeasuredRates): Promise<void> =>
  keepLine(file, ratesLine(rates));

async function keepLine(file: string, line: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const notRegular = await whyNotRegular(file).catch(() => null);
  if (notRegular !== null) throw new Error(`${file} is not a regular file.`);
  const handle = await open(file, APPEND);
  try {
    const { size } = await handle.stat();
    const last = size > 0 ? await handle.read(Buffer.alloc(1), 0, 1, size - 1) : null;
    // A line that a crash truncated must not swallow this one.
    const whole = last === null || last.buffer[0] === 0x0a;
    await handle.appendFile((whole ? '' : '\n') + line);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Removes the measurements that `drop` selects, atomically; returns how many were removed. */
export async function forgetMeasurements(
  file: string,
  drop: (measurement: Measurement) => boolean,
): Promise<number> {
  const text = await boundedText(file);
  if (text === null) return 0;
  const { measurements } = readMeasurements(text);
  const others = [...readSpeeds(text).map(speedLine), ...readRates(text).map(ratesLine)];
  const kept = measurements.filter(one => !drop(one));
  if (kept.length === measurements.length) return 0;
  await replaceFile(file, [...kept.map(measurementLine), ...others].join(''));
  return measurements.length - kept.length;
}
