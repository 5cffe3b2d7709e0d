import type { JobRequest } from '../../jobs/job';
import type { Jobs } from '../../jobs/jobs';
import { JobError } from '../../jobs/engine';
import { startScreen } from '../../jobs/screen';
import { BadInput } from '../output';
import type { Output, OutputOptions } from '../output';
import { attach } from './attach';
import { secretsFrom } from './secrets';

export interface StartOptions extends OutputOptions {
  readonly dryRun?: boolean;
  readonly detach?: boolean;
  readonly json?: boolean;
}

const NEVER = { aborted: false };
const LABEL_WIDTH = 12;

/** The one screen before the start. */
export async function show(
  jobs: Jobs,
  request: JobRequest,
  options: StartOptions,
  output: Output,
): Promise<void> {
  if (options.json) {
    output.out(JSON.stringify(request, null, 2));
    return;
  }
  const beside = await jobs.plan(request, NEVER);
  for (const [label, text] of startScreen(request, beside)) {
    (options.dryRun ? output.out : output.err)(`${label.padEnd(LABEL_WIDTH)}${text}`);
  }
}

/** Starts one after the other, and follows each unless told to come back. */
export async function startAll(
  jobs: Jobs,
  requests: readonly JobRequest[],
  options: StartOptions,
  output: Output,
): Promise<void> {
  for (const request of requests) {
    const record = await jobs.start(request, secretsFrom(request.secrets), NEVER).catch((error: unknown) => {
      throw error instanceof JobError ? new BadInput(error.message) : error;
    });
    if (options.detach) output.out(record.id);
    else process.exitCode = await attach(jobs, record.id, output);
  }
}
