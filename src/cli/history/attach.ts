import { measuredRun } from '../../core/analyse/measuredRun';
import { runSpeed } from '../../core/plan/speed';
import type { PastSpeed } from '../../core/learn/pastSpeed';
import { pastMeasurements } from '../../core/analyse/pastMeasurements';
import type { PastRun } from '../../core/history/collect';
import type { LoggedConfig } from '../../core/history/logs';
import type { Target } from '../../core/hardware/gpu';
import { parseTarget, plannedTarget } from '../../core/hardware/target';
import type { Measurement } from '../../core/learn/measurement';
import type { RunAnalysis } from '../../core/rules/analysis';
import { version } from '../../../package.json';
import type { Session } from '../session';
import { join } from '../../core/text/paths';
import { corePath } from '../../world/environment';

/** A past run and the run of a config that it was. */
export interface AttachedRun {
  readonly past: PastRun;
  /** Null: no config of it was found, or none that describes one run. */
  readonly analysis: RunAnalysis | null;
  /** The config that decided, for display. */
  readonly config: string | null;
  readonly target: Target | null;
  readonly measurements: readonly Measurement[];
  /** Null: no time of a step, or no known GPU. */
  readonly speed: PastSpeed | null;
}

/** What the user says of all runs of a folder. */
export interface Said {
  /** Their config, instead of those that they logged. */
  readonly config: LoggedConfig | null;
  /** The name of the run in it. */
  readonly run: string | undefined;
  readonly target: Target | null;
}

/** Finds the run that each past run was, from the config that it logged. `session` must ignore measurements. */
export async function attached(
  runs: readonly PastRun[],
  folder: string,
  session: Session,
  said: Said,
): Promise<readonly AttachedRun[]> {
  const found: AttachedRun[] = [];
  for (const past of runs) found.push(await attachedRun(past, folder, session, said));
  return found;
}

async function attachedRun(
  past: PastRun,
  folder: string,
  session: Session,
  said: Said,
): Promise<AttachedRun> {
  const target = said.target ?? (await targetOf(past, session));
  const configs = said.config ? [said.config] : past.configs;
  let best: { readonly analysis: RunAnalysis; readonly config: string } | null = null;
  for (const { path, text } of configs) {
    const file = said.config ? path : joinPath(folder, path);
    const { runs } = await session.analyze(file, text, target);
    const judged = runs.filter(one => one.judged && (said.run === undefined || one.run.name === said.run));
    const [analysis, ...others] = judged;
    if (!analysis || others.length > 0) continue;
    if (analysis.estimate !== null) {
      best = { analysis, config: file };
      break;
    }
    best ??= { analysis, config: file };
  }
  const measurements = best ? pastMeasurements(past, best.analysis, version) : [];
  const speed = best ? speedOf(past, best.analysis) : null;
  const { analysis = null, config = null } = best ?? {};
  return { past, analysis, config, target, measurements, speed };
}

function speedOf(past: PastRun, analysis: RunAnalysis): PastSpeed | null {
  const gpu = analysis.target?.gpu?.name;
  if (past.speed === null || gpu === undefined) return null;
  const { config, framework, family, features } = measuredRun(analysis, version);
  const { gpus, gradAccum } = analysis.run.quantities;
  const computed = runSpeed(analysis, undefined, 'counted');
  return {
    ...{ schema: 'headroom-speed/1', config, framework, family, features, gpu },
    at: new Date(past.atMs ?? 0).toISOString(),
    gpus: computed.ok ? computed.gpus : (gpus.value ?? past.gpu?.count ?? 1),
    gradAccum: gradAccum.value ?? 1,
    secondsPerStep: past.speed.secondsPerStep,
    isWhole: past.speed.isWhole === true,
    predicted: computed.ok ? { secondsPerStep: computed.secondsPerStep.expected, by: version } : null,
  };
}

/** The GPU that a log names, from the catalog; null: none, or unknown. */
async function targetOf({ gpu, peaks }: PastRun, session: Session): Promise<Target | null> {
  if (gpu === null || gpu.name === '') return null;
  const gpus = await session.gpus();
  const devices = Math.max(0, ...peaks.map(peak => peak.devices?.length ?? 1));
  const options = { count: gpu.count ?? (devices > 0 ? devices : null), nodes: 1 };
  const known = gpus.ofDevice(gpu.name, gpu.totalMiB);
  const total = gpu.totalMiB ?? known?.memoryMiB ?? null;
  if (known && total !== null) return plannedTarget(known, total, options);
  const reading = parseTarget(gpu.name, gpus, options);
  return reading.ok ? reading.target : null;
}

/** A log's path below a folder, in core's notation. */
const joinPath = (folder: string, path: string): string => join(corePath(folder), path);
