import { existsSync } from 'node:fs';
import { resumedRequest } from '../../jobs/request';
import { isFinal } from '../../jobs/settle';
import type { EngineOptions } from '../embed/options';
import { jobNamed, openJobsHere } from '../jobs/open';
import type { JobsOptions } from '../jobs/open';
import { show, startAll } from '../jobs/start';
import type { StartOptions } from '../jobs/start';
import { BadInput, terminalOutput } from '../output';
import { Session } from '../session';
import { resumeEmbedding } from './embed';

type ResumeOptions = StartOptions & JobsOptions & EngineOptions;

/** `headroom resume JOB`: runs the job again from its last checkpoint. A folder means an embedding. */
export async function resume(name: string, options: ResumeOptions): Promise<void> {
  if (existsSync(name)) {
    await resumeEmbedding(name, options);
    return;
  }
  const jobs = openJobsHere(options);
  const output = terminalOutput(options);
  const record = await jobNamed(jobs, name);
  if (!isFinal(record)) throw new BadInput(`${record.id} is ${record.state}. Stop it first.`);
  const again = resumedRequest(record, await jobs.secrets(record.id));
  if (!again.ok) throw new BadInput(again.why);
  const target = await new Session().target({}).catch(() => null);
  await show(jobs, again.request, options, { output, seesGpu: target !== null });
  if (options.dryRun) return;
  await startAll(jobs, [again.request], options, output);
}
