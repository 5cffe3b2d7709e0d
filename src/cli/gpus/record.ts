import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import type { Host } from '../../gpu/fleet';
import { HostRecorder } from '../../gpu/recording/recorder';
import { SCHEMA } from '../../gpu/recording/recording';
import type { RecordedHost, Recording } from '../../gpu/recording/recording';
import { Sanitizer } from '../../gpu/recording/sanitise';
import { nodeTimers } from '../../gpu/timers';
import { BadInput } from '../output';
import { version } from '../../../package.json';
import { reasonOf } from '../../core/text/errors';

/** Records all hosts of one CLI call. */
export class RecordingFile {
  private readonly recorders: HostRecorder[] = [];

  constructor(
    private readonly path: string,
    private readonly intervalMs: number,
  ) {}

  readonly recorder = (host: Host): HostRecorder => {
    const recorder = new HostRecorder(host, nodeTimers);
    this.recorders.push(recorder);
    return recorder;
  };

  /** Writes the recording without private data. */
  async write(): Promise<void> {
    const sanitizer = new Sanitizer(randomBytes(16).toString('hex'));
    const hosts = this.recorders.map(recorder => sanitizer.host(recorder.recorded()));
    const recording: Recording = { schema: SCHEMA, version, intervalMs: this.intervalMs, hosts };
    await writeFile(this.path, `${JSON.stringify(recording, null, 1)}\n`).catch((error: unknown) => {
      throw new BadInput(`--record ${this.path}: ${reasonOf(error)}.`);
    });
  }
}

/** Reads a recording from a file. */
export async function readRecording(path: string): Promise<Recording> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new BadInput(`--replay ${path}: ${reasonOf(error)}.`);
  });
  const recording = parsed(text);
  if (!isRecording(recording)) {
    throw new BadInput(`--replay ${path}: this is not a recording of headroom gpus --record.`);
  }
  return recording;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isRecording(value: unknown): value is Recording {
  if (typeof value !== 'object' || value === null) return false;
  const { schema, hosts, intervalMs } = value as Partial<Record<keyof Recording, unknown>>;
  return schema === SCHEMA && typeof intervalMs === 'number' && Array.isArray(hosts) && hosts.every(isHost);
}

const LISTS = ['runs', 'requests'] as const satisfies readonly (keyof RecordedHost)[];

/** Validates enough that a hand-edited file does not break anything. */
function isHost(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const one = value as Partial<Record<keyof RecordedHost, unknown>>;
  const host = one.host as Partial<Host> | null | undefined;
  return (
    typeof host?.id === 'string' &&
    typeof host.name === 'string' &&
    typeof one.startedMs === 'number' &&
    LISTS.every(list => Array.isArray(one[list])) &&
    (one.runs as unknown[]).every(isRun)
  );
}

function isRun(value: unknown): boolean {
  const run = value as { output?: unknown; args?: unknown; program?: unknown } | null;
  return Array.isArray(run?.output) && Array.isArray(run.args) && typeof run.program === 'string';
}
