import { isFinal } from '../../jobs/settle';
import { followOutput, writeFrom } from '../jobs/follow';
import { jobNamed, openJobsHere } from '../jobs/open';
import type { JobsOptions } from '../jobs/open';
import { jobsTable, stateText } from '../jobs/text';
import { EXIT } from '../exit';
import { terminalOutput } from '../output';
import type { OutputOptions } from '../output';

interface ListOptions extends OutputOptions, JobsOptions {
  readonly json?: boolean;
  readonly all?: boolean;
}

/** Jobs that are over and are shown unless all are asked for. */
const SHOWN = 10;
const NEVER = { aborted: false };

/** `headroom jobs`: those that run or wait, and the last that ended. */
export async function listJobs(options: ListOptions): Promise<void> {
  const jobs = openJobsHere(options);
  const output = terminalOutput(options);
  const records = await jobs.list();
  const over = records.filter(isFinal).slice(-SHOWN);
  const shown = options.all ? records : records.filter(record => !isFinal(record) || over.includes(record));
  if (options.json) output.out(JSON.stringify({ schema: 'headroom-jobs/1', jobs: shown }, null, 2));
  else if (shown.length === 0) output.err('There are no jobs: headroom run CONFIG starts one.');
  else output.out(jobsTable(shown, Date.now()));
}

/** `headroom logs ID`: what a job has printed, and with `--follow` what it prints. */
export async function logs(
  name: string,
  options: OutputOptions & JobsOptions & { readonly follow?: boolean },
): Promise<void> {
  const jobs = openJobsHere(options);
  const { id } = await jobNamed(jobs, name);
  if (options.follow) await followOutput(jobs, id, terminalOutput(options), NEVER);
  else await writeFrom(jobs, id, 0);
}

/** `headroom stop ID`: up the ladder until it is over. */
export async function stopJob(name: string, options: OutputOptions & JobsOptions): Promise<void> {
  const jobs = openJobsHere(options);
  const output = terminalOutput(options);
  const record = await jobNamed(jobs, name);
  if (isFinal(record)) {
    output.err(`${stateText(record)}: there is nothing to stop.`);
    return;
  }
  output.err(`Stopping ${record.id}: interrupted first, then told to terminate, then killed.`);
  const stopped = await jobs.stop(record.id, NEVER);
  output.out(stateText(stopped));
  if (!isFinal(stopped)) process.exitCode = EXIT.undecided;
}
