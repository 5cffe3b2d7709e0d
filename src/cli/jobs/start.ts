import { json } from '../../core/text/terminal';
import { setTimeout as pause } from 'node:timers/promises';
import { NEVER } from '../../core/signal';
import { JobError } from '../../jobs/engine';
import type { JobRecord, JobRequest } from '../../jobs/job';
import type { Jobs } from '../../jobs/jobs';
import { sealed } from '../../jobs/secrets';
import { startView } from '../../jobs/startView';
import type { Outlook } from '../../jobs/startView';
import { EXIT } from '../exit';
import { BadInput } from '../output';
import type { Output, OutputOptions } from '../output';
import { attach } from './follow';

/** The values of secrets, from the user's environment. */
function secretsFrom(names: readonly string[]): Readonly<Record<string, string>> {
  const found = names.map(name => {
    const value = process.env[name];
    if (value === undefined) {
      throw new BadInput(`--secret ${name}: this environment variable is not set; set it and try again.`);
    }
    return [name, value] as const;
  });
  return Object.fromEntries(found);
}

export interface StartOptions extends OutputOptions {
  readonly dryRun?: boolean;
  readonly detach?: boolean;
  readonly queue?: boolean;
  readonly json?: boolean;
}

const LABEL_WIDTH = 13;
const LOOK_MS = 100;

interface Shown {
  readonly output: Output;
  /** Whether a GPU of this machine was found. */
  readonly seesGpu: boolean;
}

/** The start screen. */
export async function show(
  jobs: Jobs,
  request: JobRequest,
  options: StartOptions,
  { output, seesGpu }: Shown,
): Promise<void> {
  if (options.json) {
    output.out(json(sealed(request).request, 2));
    return;
  }
  const also = await jobs.plan(request, NEVER);
  // The estimate is for the planned GPU and does not apply without one.
  const shown = request.gpus.count === 0 ? { ...request, estimate: null } : request;
  const { command, rows } = startView(shown, {
    gpus: [],
    target: null,
    outlook: outlookOf(request, seesGpu),
    also,
  });
  const say = options.dryRun ? output.out : output.err;
  for (const [label, texts] of [['Command', [command]] as const, ...rows]) {
    texts.forEach((text, i) => say(`${(i === 0 ? label.toLowerCase() : '').padEnd(LABEL_WIDTH)}${text}`));
  }
}

/** Only from the estimate: the GPU is chosen at the start. */
function outlookOf({ estimate, gpus, place }: JobRequest, seesGpu: boolean): Outlook {
  if (place.engine === 'local' && gpus.count > 0 && !seesGpu) return 'no GPU';
  if (estimate === null || estimate.verdict === 'unknown') return 'unknown';
  return estimate.verdict === 'exceeds' ? 'refused' : 'goes';
}

/** Starts one job after the other, and follows each unless detached. */
export async function startAll(
  jobs: Jobs,
  requests: readonly JobRequest[],
  options: StartOptions,
  output: Output,
): Promise<void> {
  for (const request of requests) {
    const { id } = await jobs.start(request, secretsFrom(request.secrets), NEVER).catch((error: unknown) => {
      throw error instanceof JobError ? new BadInput(error.message) : error;
    });
    const waits = options.queue ? null : await waitsFor(jobs, id);
    if (waits !== null) {
      await jobs.stop(id, NEVER);
      output.err(`${request.name} ${waits}, so it was not started. Add --queue to wait for its turn.`);
      process.exitCode = EXIT.exceeds;
    } else if (options.detach) {
      output.out(id);
    } else {
      process.exitCode = await attach(jobs, id, output);
    }
  }
}

/**
 * What a job waits for; null once it has its GPUs, or is over. It takes a few seconds until its keeper has checked.
 */
async function waitsFor(jobs: Jobs, id: string): Promise<string | null> {
  for (;;) {
    const record = await jobs.get(id);
    if (record?.place.engine !== 'local' || record.gpus.count === 0) return null;
    if (record.state !== 'queued' && record.state !== 'starting') return null;
    if (await isVerdict(jobs, record)) return record.message;
    await pause(LOOK_MS);
  }
}

/**
 * Whether a job really waits: for memory, or behind a job that does. Jobs that start at the same moment check the
 * GPUs in turn, so one that is only behind another that is about to start is not waiting.
 */
async function isVerdict(jobs: Jobs, { state, waits }: JobRecord): Promise<boolean> {
  if (state !== 'queued' || !waits) return false;
  if (waits.for === 'gpus') return true;
  const other = await jobs.get(waits.id);
  return other !== null && isVerdict(jobs, other);
}
