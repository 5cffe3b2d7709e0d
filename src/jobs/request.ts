import { createHash } from 'node:crypto';
import { basename, resolve } from 'node:path';
import type { RunAnalysis } from '../core/rules/analysis';
import type { RunLaunch } from '../core/launch/runLaunch';
import { measuredRun } from '../core/analyse/measuredRun';
import { unsealed } from './secrets';
import type { KeptSecrets } from './secrets';
import { NO_LIMITS } from './job';
import type { JobEstimate, JobLimits, JobPace, JobPlace, JobRecord, JobRequest } from './job';

/** The choices at a job's start in addition to the config. */
interface StartChoice {
  readonly file: string;
  /** The working folder. */
  readonly folder: string;
  readonly place: JobPlace;
  /** GPUs by number, or by UUID. */
  readonly gpus: { readonly count: number; readonly uuids: readonly string[] };
  /** Seconds of a step; null: unknown. */
  readonly pace: JobPace | null;
  /** Arguments appended to the framework's command. */
  readonly extra?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly limits?: Partial<JobLimits>;
  /** Headroom's version, for measurements. */
  readonly version: string;
  /** The file that keeps the measurement; null: nothing is measured. */
  readonly measuredIn: string | null;
}

/** A job for an analyzed run, started as `launch` says. */
export function trainingRequest(analysis: RunAnalysis, launch: RunLaunch, choice: StartChoice): JobRequest {
  const { run } = analysis;
  const extra = choice.extra ?? [];
  const estimate = estimateOf(analysis);
  return {
    kind: run.quantities.task.value === 'embed' ? 'embed' : 'train',
    name: [basename(choice.file), run.name].filter(Boolean).join(' '),
    config: {
      file: resolve(choice.folder, choice.file),
      digest: digestOf(analysis),
      run: run.name,
      dialect: run.dialect,
    },
    argv: withExtra(launch.argv, extra),
    folder: choice.folder,
    environment: choice.environment ?? {},
    secrets: choice.secrets ?? [],
    place: choice.place,
    gpus: { ...choice.gpus, needBytes: choice.gpus.count === 0 ? null : (estimate?.bytes.expected ?? null) },
    limits: { ...NO_LIMITS, ...choice.limits },
    estimate,
    ...(extra.length === 0 && choice.pace && { pace: choice.pace }),
    writes: launch.writes,
    resume: launch.resume && withExtra(launch.resume, extra),
    ...(extra.length === 0 &&
      !analysis.tentative &&
      !launch.isOwn &&
      choice.measuredIn !== null && {
        measured: measuredRun(analysis, choice.version),
        measuredIn: choice.measuredIn,
      }),
  };
}

/** Arguments after `--` belong to the launcher's program, so extra ones for the framework go before it. */
export function withExtra(argv: readonly string[], extra: readonly string[]): readonly string[] {
  const at = argv.indexOf('--');
  return at < 0 ? [...argv, ...extra] : [...argv.slice(0, at), ...extra, ...argv.slice(at)];
}

function estimateOf({ estimate, verdict, tentative }: RunAnalysis): JobEstimate | null {
  const device = estimate?.devices[0];
  if (!device) return null;
  return { metric: 'device', bytes: device.device, verdict: tentative ? 'unknown' : verdict };
}

/** Over the texts of all files that the run was read from, in order. */
export function digestOf({ run }: Pick<RunAnalysis, 'run'>): string {
  const hash = createHash('sha256');
  for (const { yaml } of run.sources) hash.update(yaml.text).update('\0');
  return hash.digest('hex');
}

/** How many GPUs a run requests; 0 if it says that it runs without. */
export function gpusOf({ run: { quantities } }: Pick<RunAnalysis, 'run'>): number {
  const { gpus, devices, accelerator } = quantities;
  if (accelerator.value === 'cpu') return 0;
  return gpus.value ?? (typeof devices.value === 'number' ? devices.value : 1);
}

/** The same job, resumed from where it stopped, with its stored secrets; or why it cannot be resumed. */
export function resumedRequest(
  given: JobRecord,
  kept: KeptSecrets | null,
): { readonly ok: true; readonly request: JobRequest } | { readonly ok: false; readonly why: string } {
  const record = kept ? unsealed(given, kept) : given;
  const { id, kind, name, config, argv, folder, environment, secrets, place, limits, estimate, writes } =
    record;
  const again = record.resume ?? (kind === 'embed' ? argv : null);
  if (again === null) {
    const framework = config?.dialect ?? 'this program';
    const why = `${id}: Headroom doesn't know how ${framework} resumes from a checkpoint. Start it again, or set the checkpoint in its config.`;
    return { ok: false, why };
  }
  const { count, needBytes, uuids, chosen } = record.gpus;
  const gpus = { count, needBytes, uuids: chosen ? [] : uuids };
  const known = {
    ...(record.pace && { pace: record.pace }),
    ...(record.measured && { measured: record.measured }),
    ...(record.measuredIn !== undefined && { measuredIn: record.measuredIn }),
  };
  const same = { kind, name, config, folder, environment, secrets, place, limits, estimate, writes };
  const resumes = record.resumes ?? id;
  return {
    ok: true,
    request: { ...same, ...known, argv: again, gpus, resume: record.resume ?? null, resumes },
  };
}
