import type { RunAnalysis } from '../core/rules/analysis';
import type { ComparedPlace } from '../core/plan/places/fit';
import { basename } from '../core/text/paths';
import { withExtra } from '../jobs/request';
import type { JobEstimate, JobGpus, JobLimits, JobPlace, JobRecord, JobRequest, JobState } from '../jobs/job';
import type { Outlook } from '../jobs/startView';
import type { Command, FreeGpu } from './ports';
import { MIB } from '../core/units';

/** A command that can be started. */
export type Startable = Extract<Command, { ok: true }>;

/** Where a job is to go, and on what. */
export interface Choice {
  readonly place: JobPlace;
  /** What becomes of the run there; null where nothing is known of the place. */
  readonly row: ComparedPlace | null;
  readonly count: number;
  /** By name, where programs can be told; else a scheduler chooses. */
  readonly gpus: readonly FreeGpu[];
  /** As the scheduler calls it, where it has several; null: any. */
  readonly type: string | null;
}

/** The GPUs with most free memory, in the order of their numbers; of those that do not tell, the first. */
export function freest(gpus: readonly FreeGpu[], count: number): readonly FreeGpu[] {
  const room = ({ freeBytes }: FreeGpu): number => freeBytes ?? -1;
  return gpus
    .toSorted((a, b) => room(b) - room(a) || a.index - b.index)
    .slice(0, count)
    .toSorted((a, b) => a.index - b.index);
}

/**
 * The same GPUs without what jobs of this machine were promised of them: what is free may be about to be taken. How much of it they
 * hold already no one has asked, so this is the most that can be left.
 */
export function unpromised(gpus: readonly FreeGpu[], records: readonly JobRecord[]): readonly FreeGpu[] {
  const active = records.filter(one => one.place.engine === 'local' && UNDER_WAY.includes(one.state));
  return gpus.map(gpu => {
    const here = active.filter(one => one.gpus.uuids.includes(gpu.uuid));
    const promised = here.reduce((sum, one) => sum + (one.gpus.needBytes ?? 0), 0);
    const { freeBytes, totalBytes } = gpu;
    if (freeBytes === null || totalBytes === null) return gpu;
    return { ...gpu, freeBytes: Math.max(0, Math.min(freeBytes, totalBytes - promised)) };
  });
}

const UNDER_WAY: readonly JobState[] = ['starting', 'running'];

/** What the run takes there, else on the GPU that it is judged against. */
export function estimateOf(
  { estimate, verdict }: RunAnalysis,
  row: ComparedPlace | null,
): JobEstimate | null {
  if (estimate?.onMachine) return null;
  if (row?.fit.need) return { metric: 'device', bytes: row.fit.need, verdict: row.fit.verdict };
  const device = estimate?.devices[0];
  return device ? { metric: 'device', bytes: device.device, verdict } : null;
}

/** Whether it can be started there: against the whole card first, then against what is free of it. */
export function outlookOf(estimate: JobEstimate | null, { row, gpus, place, count }: Choice): Outlook {
  if (estimate === null) return 'unknown';
  if (count === 0 && place.engine === 'local') return 'no GPU';
  const target = row?.place.target ?? null;
  const { expected } = estimate.bytes;
  if (target === null) return estimate.verdict === 'exceeds' ? 'refused' : verdictOutlook(estimate);
  if (expected > target.usableMiB * MIB) return 'refused';
  const free = gpus.flatMap(({ freeBytes }) => freeBytes ?? []);
  const least = free.length > 0 ? Math.min(...free) : (target.usableMiB - target.busyMiB) * MIB;
  if (expected <= least) return 'goes';
  // On a host no one keeps a queue.
  return place.engine === 'ssh' ? 'crowded' : 'waits';
}

const verdictOutlook = ({ verdict }: JobEstimate): Outlook => (verdict === 'unknown' ? 'unknown' : 'goes');

export interface Wish {
  readonly file: string;
  readonly analysis: RunAnalysis;
  readonly command: Startable;
  /** Words behind those of the framework's command. */
  readonly extra: readonly string[];
  readonly choice: Choice;
  readonly limits: JobLimits;
}

/** What is asked of the engine: everything that the screen before the start shows. */
export function requestOf({ file, analysis, command, extra, choice, limits }: Wish): JobRequest {
  const isOnProcessors = choice.count === 0 && command.kind !== 'train';
  const estimate = isOnProcessors ? null : estimateOf(analysis, choice.row);
  const { name, dialect } = analysis.run;
  const stem = basename(file);
  return {
    kind: command.kind,
    name: `${command.verb} ${name === '' ? stem : `${stem} · ${name}`}`,
    config: { file, digest: command.digest, run: name, dialect },
    argv: withExtra(command.argv, extra),
    folder: command.folder,
    environment: command.environment,
    secrets: command.secrets,
    place: choice.place,
    gpus: gpusOf(choice, estimate),
    limits,
    estimate,
    writes: command.writes,
    resume: command.resume && withExtra(command.resume, extra),
    // Words in addition to the config change what it takes, and features do not tell of them.
    ...(extra.length === 0 &&
      command.measured &&
      command.measuredIn !== null && { measured: command.measured, measuredIn: command.measuredIn }),
  };
}

/** On this machine they are chosen when the job starts, of those that are then free: others may come first. */
function gpusOf({ place, count, gpus, type }: Choice, estimate: JobEstimate | null): JobGpus {
  const needBytes = count === 0 ? null : (estimate?.bytes.expected ?? null);
  const uuids = place.engine === 'local' ? [] : gpus.map(({ uuid }) => uuid);
  return { count, uuids, needBytes, ...(type !== null && count > 0 && { type }) };
}
