import { ClusterWatch } from '../clusterWatch';
import { RAY_INTERVAL_MS, SLURM_INTERVAL_MS } from '../clusters';
import type { HostWatch } from '../fleet';
import type { Child, ChildEnd, Launch } from '../launch';
import { LocalWatch } from '../localWatch';
import { machineOf } from '../machine';
import { RayCluster } from '../ray/cluster';
import type { HttpAnswer, HttpGet } from '../../remote/http';
import { SlurmCluster } from '../slurm/cluster';
import { commandsHere, commandsOnLogin } from '../slurm/commands';
import type { SlurmCommands } from '../slurm/commands';
import type { GpuTool } from '../tool';
import type { Timers } from '../timers';
import type { RecordedHost, RecordedRequest, RecordedRun, Recording } from './recording';

/** The hosts of a recording as they were. */
export function replayed(
  recording: Recording,
  clock: Timers,
  tools: readonly GpuTool[],
): readonly HostWatch[] {
  return recording.hosts.map(recorded => watchOf(recorded, recording.intervalMs, clock, tools));
}

/** The time of the last event in a recording. */
export function endOf({ hosts }: Recording): number {
  const ends = hosts.flatMap(({ startedMs, runs, requests }) =>
    [
      ...requests.map(({ endMs }) => endMs),
      ...runs.flatMap(({ atMs, output, end }) => [atMs, output.at(-1)?.[0] ?? 0, end?.atMs ?? 0]),
    ].map(ms => startedMs + ms),
  );
  return ends.reduce((last, one) => Math.max(last, one), 0);
}

function watchOf(
  recorded: RecordedHost,
  intervalMs: number,
  clock: Timers,
  tools: readonly GpuTool[],
): HostWatch {
  const { host } = recorded;
  if (host.kind === 'slurm') {
    const slurm = new SlurmCluster(replayLaunch(recorded, clock), clock, commandsOf(recorded));
    return new ClusterWatch(host, slurm, SLURM_INTERVAL_MS, clock);
  }
  if (host.kind === 'ray') {
    const ray = new RayCluster(replayHttp(recorded, clock), clock, true);
    return new ClusterWatch(host, ray, RAY_INTERVAL_MS, clock);
  }
  const { machine, platform } = recorded;
  const kind = machineOf({
    system: {
      platform: platform as NodeJS.Platform,
      variables: {},
      launch: replayLaunch(recorded, clock),
      timers: clock,
      tools,
      executables: {},
      adapters: () => Promise.resolve(machine?.adapters ?? []),
    },
    intervalMs,
    owners: () => Promise.resolve(new Map()),
    load: () => Promise.resolve(machine?.load ?? null),
    sleepOf: () => ({
      isAsleep: () => Promise.resolve(machine?.isAsleep ?? false),
      maySleep: () => Promise.resolve(false),
    }),
    mayStream: machine?.mayStream ?? false,
  });
  return new LocalWatch(kind, host);
}

/** On a login node, they are started by a shell. */
const commandsOf = ({ runs }: RecordedHost): SlurmCommands =>
  runs.some(({ program }) => program === 'sh') ? commandsOnLogin : commandsHere;

/**
 * Programs that repeat their recorded output, in the order in which they were started; one that was missing is
 * missing.
 */
function replayLaunch({ runs, startedMs }: RecordedHost, clock: Timers): Launch {
  const left = [...runs];
  const known = new Set(runs.map(({ program }) => program));
  return (program, args) => {
    const at = left.findIndex(run => run.program === program && sameWords(run.args, args));
    const run = left[at];
    if (run) {
      left.splice(at, 1);
      return new ReplayedChild(run, startedMs, clock);
    }
    // A program without further recorded runs stays silent; one that was never recorded is missing.
    return new ReplayedChild(known.has(program) ? SILENT : ABSENT, clock.now(), clock);
  };
}

const EMPTY_RUN = { program: '', args: [], atMs: 0, output: [] };
const SILENT: RecordedRun = { ...EMPTY_RUN, end: null };
const ABSENT: RecordedRun = { ...EMPTY_RUN, end: { atMs: 0, exitCode: null, failure: 'not-found' } };

const sameWords = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((word, i) => word === b[i]);

class ReplayedChild implements Child {
  private readonly cancels: (() => void)[] = [];
  private isStopped = false;
  private readonly texts: ((stream: 'stdout' | 'stderr', text: string) => void)[] = [];
  private readonly ends: ((end: ChildEnd) => void)[] = [];

  constructor(
    { output, end }: RecordedRun,
    startedMs: number,
    private readonly clock: Timers,
  ) {
    for (const [atMs, stream, text] of output) {
      this.schedule(startedMs + atMs, () => {
        for (const listener of this.texts) listener(stream, text);
      });
    }
    if (end) this.schedule(startedMs + end.atMs, () => this.finish(end));
  }

  onText(listener: (stream: 'stdout' | 'stderr', text: string) => void): void {
    this.texts.push(listener);
  }

  onEnd(listener: (end: ChildEnd) => void): void {
    this.ends.push(listener);
  }

  stop(): void {
    if (this.isStopped) return;
    this.isStopped = true;
    for (const cancel of this.cancels) cancel();
    this.clock.after(0, () => this.finish({ exitCode: null, failure: null }));
  }

  private schedule(ms: number, call: () => void): void {
    this.cancels.push(this.clock.after(ms - this.clock.now(), call));
  }

  private finish({ exitCode, failure }: ChildEnd): void {
    for (const listener of this.ends.splice(0)) listener({ exitCode, failure });
  }
}

/** A server that repeats its recorded answers. */
function replayHttp({ requests, startedMs }: RecordedHost, clock: Timers): HttpGet {
  const left = [...requests];
  return {
    close: () => undefined,
    get: path => {
      const at = left.findIndex(request => request.path === path);
      const [request] = at < 0 ? [] : left.splice(at, 1);
      return new Promise(resolve => {
        // A request without further recorded answers stays pending.
        if (!request) return;
        clock.after(startedMs + request.endMs - clock.now(), () => resolve(answerOf(request)));
      });
    },
  };
}

function answerOf({ status, body }: RecordedRequest): HttpAnswer {
  return status === 0 ? { ok: false, why: 'failed', text: body } : { ok: true, status, body };
}
