import { json, paragraphs } from '../../core/text/terminal';
import type { Shown } from '../../core/text/terminal';
import type { HostReading, HostState, HostWatch } from '../../gpu/fleet';
import { atOnce, ReplayClock } from '../../gpu/recording/clock';
import { endOf, replayed } from '../../gpu/recording/replay';
import { nodeTimers } from '../../gpu/timers';
import type { Timers } from '../../gpu/timers';
import { gpuTools } from '../../gpu/tools/registry';
import { EXIT } from '../exit';
import type { ExitCode } from '../exit';
import { addressOf, serveMetrics } from '../gpus/endpoint';
import { firstReadings } from '../gpus/first';
import { hostsFor, namesHosts } from '../gpus/hosts';
import type { HostOptions } from '../gpus/hosts';
import { metricsText } from '../gpus/metrics';
import { gpusDocument, hostText } from '../gpus/rows';
import { showLive } from '../gpus/live';
import type { Screen } from '../gpus/live';
import { readRecording, RecordingFile } from '../gpus/record';
import { jobGpusText } from '../gpus/ofJob';
import { jobNamed, openJobsHere } from '../jobs/open';
import { BadInput, terminalOutput } from '../output';
import type { OutputOptions } from '../output';
import { boundedText } from '../../files/bounded';
import { readPasted } from '../../gpu/pasted';

/** The GPUs in a file with a tool's output, from another machine or another time. */
async function readingFrom(path: string): Promise<HostReading> {
  const text = await boundedText(path);
  if (text === null) throw new BadInput(`--from ${path}: not a readable file. Check the path.`);
  const nowMs = Date.now();
  const pasted = readPasted(text, gpuTools, nowMs);
  if (pasted === null) {
    throw new BadInput(
      `--from ${path}: no GPU is in it. Save the whole output of nvidia-smi or another tool.`,
    );
  }
  const { devices, samples, processes } = pasted.reading;
  return {
    host: { id: `file:${path}`, kind: 'local', name: path },
    status: {
      state: 'stale',
      message: null,
      todo: null,
      text: null,
      sinceMs: nowMs,
      nextTryMs: null,
      collector: pasted.tool,
      latencyMs: null,
    },
    devices,
    samples,
    processes: processes.length > 0 ? processes : null,
    machine: null,
    capacities: [],
  };
}

interface GpusOptions extends OutputOptions, HostOptions {
  readonly json?: boolean;
  readonly watch?: boolean;
  /** Seconds between two readings. */
  readonly interval: number;
  readonly record?: string;
  readonly replay?: string;
  readonly job?: string;
  readonly from?: string;
  readonly prometheus?: boolean;
  /** Where metrics are served until Ctrl+C. */
  readonly listen?: string;
}

/** `headroom gpus`: the GPUs of this machine and of hosts over SSH, and free GPUs of clusters. */
export async function gpus(options: GpusOptions): Promise<void> {
  if (options.job !== undefined) {
    await printJobReadings(options, options.job);
    return;
  }
  if (options.from !== undefined) {
    await printPasted(options, options.from);
    return;
  }
  if (options.replay !== undefined) {
    await replay(options, options.replay);
    return;
  }
  if (options.listen !== undefined) {
    await serve(options, options.listen);
    return;
  }
  if (options.record !== undefined && (options.kubernetes ?? options.metrics)) {
    throw new BadInput('--record records --host, --slurm and --ray. Remove --kubernetes and --metrics.');
  }
  const intervalMs = options.interval * 1000;
  const file = options.record === undefined ? null : new RecordingFile(options.record, intervalMs);
  const watches = hostsFor(options, intervalMs, file?.recorder ?? null);
  try {
    if (options.watch) {
      const stop = live(watches, options, nodeTimers);
      await interrupted();
      stop();
    } else {
      printReadings(await firstReadings(watches, nodeTimers), options);
    }
  } finally {
    for (const watch of watches) watch.dispose();
  }
  await file?.write();
}

/** Readings as Prometheus scrapes them, until Ctrl+C. */
async function serve(options: GpusOptions, listen: string): Promise<void> {
  if (options.watch ?? options.record ?? options.json) {
    throw new BadInput('--listen serves metrics. Remove --watch, --record and --json.');
  }
  const address = addressOf(listen);
  const watches = hostsFor(options, options.interval * 1000, null);
  const releases = watches.map(watch => watch.hold());
  try {
    const server = await serveMetrics(() => metricsText(watches.map(({ reading }) => reading)).raw, address);
    const bound = server.address();
    const port = typeof bound === 'object' ? bound?.port : address.port;
    terminalOutput(options).err(`Serving http://${address.host}:${port}/metrics`);
    await interrupted();
    server.closeAllConnections();
    server.close();
  } finally {
    for (const release of releases) release();
    for (const watch of watches) watch.dispose();
  }
}

/** What a tool printed elsewhere: nothing is started or queried. */
async function printPasted(options: GpusOptions, path: string): Promise<void> {
  if (namesHosts(options) || (options.watch ?? options.record ?? options.replay ?? options.listen)) {
    throw new BadInput(
      '--from shows the GPUs in a file. Only --json or --prometheus can be combined with it.',
    );
  }
  const reading = await readingFrom(path);
  const { out } = terminalOutput(options);
  if (options.prometheus) out(metricsText([{ ...reading, status: { ...reading.status, state: 'live' } }]));
  else out(options.json ? json(gpusDocument([reading]), 2) : hostText(reading));
}

/** The stored readings of a job: no GPU is queried. */
async function printJobReadings(options: GpusOptions, name: string): Promise<void> {
  if (namesHosts(options) || (options.watch ?? options.record ?? options.replay ?? options.listen)) {
    throw new BadInput('--job shows readings from a job. Only --json can be combined with it.');
  }
  const jobs = openJobsHere(options);
  const job = await jobNamed(jobs, name);
  const samples = await jobs.samples(job.id, AbortSignal.timeout(JOB_MS));
  const { out } = terminalOutput(options);
  const document = { schema: 'headroom-job-samples/1', job: job.id, name: job.name, samples };
  out(options.json ? json(document, 2) : jobGpusText(job, samples));
}

const JOB_MS = 30_000;

/** The same from a recording: nothing is started or queried. */
async function replay(options: GpusOptions, path: string): Promise<void> {
  if (namesHosts(options) || (options.sshConfig ?? options.record)) {
    throw new BadInput(
      '--replay shows the hosts of its file. Remove --host, --slurm, --ray, --kubernetes, --metrics, --ssh-config and --record.',
    );
  }
  const recording = await readRecording(path);
  const clock = new ReplayClock(Math.min(...recording.hosts.map(({ startedMs }) => startedMs)));
  const watches = replayed(recording, clock, gpuTools);
  if (options.watch) {
    const stop = live(watches, options, clock);
    const pace = process.stdout.isTTY ? waitFor : atOnce;
    await clock.run(endOf(recording) + LAST_DRAWING_MS, () => false, pace);
    stop();
    return;
  }
  let isDone = false;
  const readings = firstReadings(watches, clock).finally(() => (isDone = true));
  await clock.run(Number.POSITIVE_INFINITY, () => isDone, atOnce);
  printReadings(await readings, options);
}

const LAST_DRAWING_MS = 200;

const waitFor = (ms: number): Promise<void> => new Promise(resolve => void setTimeout(resolve, ms));

function live(watches: readonly HostWatch[], options: GpusOptions, timers: Timers): () => void {
  const output = terminalOutput(options);
  const screen = process.stdout.isTTY ? terminal : null;
  return showLive(watches, { json: options.json === true, output, screen, timers });
}

function printReadings(readings: readonly HostReading[], options: GpusOptions): void {
  const { out } = terminalOutput(options);
  if (options.prometheus) out(metricsText(readings));
  else if (options.json) out(json(gpusDocument(readings), 2));
  else out(paragraphs(readings.map(textOf)));
  process.exitCode = exitCodeOf(readings);
}

/** A machine without GPUs is not an error, and needs no advice. */
function textOf(reading: HostReading): Shown {
  const { host, status, devices } = reading;
  const hasNone = host.kind === 'local' && isWithout(status.state) && devices.length === 0;
  return hasNone ? 'No GPU found on this machine.' : hostText(reading);
}

const isWithout = (state: HostState): boolean => state === 'no-tool' || state === 'no-gpu';

const WELL: readonly HostState[] = ['live', 'no-gpu', 'asleep'];

/** Undecided if any host did not report its GPUs. */
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

/** Waits for Ctrl+C, or for the parent process to end this one. */
function interrupted(): Promise<void> {
  const alive = setInterval(() => undefined, 3_600_000);
  return new Promise<void>(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  }).finally(() => clearInterval(alive));
}
