import type { RunAnalysis } from '../core/rules/analysis';
import type { ComparedPlace } from '../core/plan/places/fit';
import { secondsOfStep } from '../core/plan/speed';
import { basename } from '../core/text/paths';
import { withExtra } from '../jobs/request';
import type {
  JobEstimate,
  JobGpus,
  JobLimits,
  JobPace,
  JobPlace,
  JobRecord,
  JobRequest,
  JobState,
} from '../jobs/job';
import type { Outlook } from '../jobs/startView';
import type { FreeGpu } from '../core/compare/machines';
import type { Command } from './ports';
import { MIB } from '../core/units';

/** A command that can be started. */
export type Startable = Extract<Command, { ok: true }>;

/** Where a job should go, and on which GPUs. */
export interface Choice {
  readonly place: JobPlace;
  /** How the run fares there; null if the place is unknown. */
  readonly row: ComparedPlace | null;
  readonly count: number;
  /** By name, if programs can be told; else a scheduler chooses. */
  readonly gpus: readonly FreeGpu[];
  /** The GPU type as the scheduler calls it, if there are several; null: any. */
  readonly type: string | null;
}

/** The GPUs with the most free memory, in order of index; if free memory is unknown, the first ones. */
export function freest(gpus: readonly FreeGpu[], count: number): readonly FreeGpu[] {
  const room = ({ freeBytes }: FreeGpu): number => freeBytes ?? -1;
  return gpus
    .toSorted((a, b) => room(b) - room(a) || a.index - b.index)
    .slice(0, count)
    .toSorted((a, b) => a.index - b.index);
}

/**
 * The same GPUs without the memory that local jobs were promised, because they may soon use it. How much of it they
 * already hold is not known, so this is an upper bound of what is left.
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

/** The run's need in that place, else on its target GPU. */
function estimateOf({ estimate, verdict }: RunAnalysis, row: ComparedPlace | null): JobEstimate | null {
  if (estimate?.onMachine) return null;
  if (row?.fit.need) return { metric: 'device', bytes: row.fit.need, verdict: row.fit.verdict };
  const device = estimate?.devices[0];
  return device ? { metric: 'device', bytes: device.device, verdict } : null;
}

/** Seconds of a step in that place, else on its target GPU. */
function paceOf(analysis: RunAnalysis, row: ComparedPlace | null): JobPace | null {
  if (!row?.fit.need) return secondsOfStep(analysis);
  return row.speed?.each === 'step' ? row.speed.secondsPerStep : null;
}

/** Whether the run can start there: compares it with the whole card first, then with the free memory. */
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
  // A plain host has no queue.
  return place.engine === 'ssh' ? 'crowded' : 'waits';
}

const verdictOutlook = ({ verdict }: JobEstimate): Outlook => (verdict === 'unknown' ? 'unknown' : 'goes');

interface RequestInput {
  readonly file: string;
  readonly analysis: RunAnalysis;
  readonly command: Startable;
  /** Arguments appended to the framework's command. */
  readonly extra: readonly string[];
  readonly choice: Choice;
  readonly limits: JobLimits;
}

/** The request to the engine: everything that the start screen shows. */
export function requestOf({ file, analysis, command, extra, choice, limits }: RequestInput): JobRequest {
  const isOnProcessors = choice.count === 0 && command.kind !== 'train';
  const estimate = isOnProcessors ? null : estimateOf(analysis, choice.row);
  const pace = estimate && extra.length === 0 ? paceOf(analysis, choice.row) : null;
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
    ...(pace && { pace }),
    writes: command.writes,
    resume: command.resume && withExtra(command.resume, extra),
    // Additional arguments may change the memory need, and features do not capture them.
    ...(extra.length === 0 &&
      command.measured &&
      command.measuredIn !== null && { measured: command.measured, measuredIn: command.measuredIn }),
  };
}

/** On this machine GPUs are chosen from the free ones when the job starts, because other jobs may start first. */
function gpusOf({ place, count, gpus, type }: Choice, estimate: JobEstimate | null): JobGpus {
  const needBytes = count === 0 ? null : (estimate?.bytes.expected ?? null);
  const uuids = place.engine === 'local' ? [] : gpus.map(({ uuid }) => uuid);
  return { count, uuids, needBytes, ...(type !== null && count > 0 && { type }) };
}
