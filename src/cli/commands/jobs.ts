import { json } from '../../core/text/terminal';
import { join } from 'node:path';
import { JobError } from '../../jobs/engine';
import { resultsFolder, whyNotFetched } from '../../jobs/job';
import type { JobRecord } from '../../jobs/job';
import type { Jobs, JobView } from '../../jobs/jobs';
import { isFinal } from '../../jobs/settle';
import { jobsFolder, stateFolder } from '../../jobs/stateFolder';
import { followOutput, writeFrom } from '../jobs/follow';
import { jobNamed, openJobsHere } from '../jobs/open';
import type { JobsOptions } from '../jobs/open';
import { jobsTable, stateText } from '../jobs/text';
import { EXIT } from '../exit';
import { BadInput, terminalOutput } from '../output';
import type { OutputOptions } from '../output';
import type { ProgressState } from '../../core/output/progress/progress';
import { NEVER } from '../../core/signal';

interface ListOptions extends OutputOptions, JobsOptions {
  readonly json?: boolean;
  readonly all?: boolean;
}

/** Finished jobs to show unless all are requested. */
const SHOWN = 10;

/** `headroom jobs`: active jobs, and the last finished ones. */
export async function listJobs(options: ListOptions): Promise<void> {
  const jobs = openJobsHere(options);
  const output = terminalOutput(options);
  const records = await jobs.list();
  const over = records.filter(isFinal).slice(-SHOWN);
  const shown = options.all ? records : records.filter(record => !isFinal(record) || over.includes(record));
  const progress = await progressOf(jobs, shown);
  if (options.json) {
    const listed = shown.map(record => ({ ...record, progress: progress.get(record.id) ?? null }));
    output.out(json({ schema: 'headroom-jobs/1', jobs: listed }, 2));
  } else if (shown.length === 0) output.err('No jobs. Start one with headroom run CONFIG.');
  else output.out(jobsTable(shown, progress, Date.now()));
  const odd = await jobs.odd();
  if (odd.length > 0) output.err(oddText(odd));
}

const MOST_NAMED = 3;

/** One sentence for all of them. */
function oddText(ids: readonly string[]): string {
  const more = ids.length > MOST_NAMED ? ` and ${ids.length - MOST_NAMED} more` : '';
  const [unreadable, folders] =
    ids.length === 1
      ? ['1 job record is not readable', 'its folder']
      : [`${ids.length} job records are not readable`, 'their folders'];
  const named = ids.slice(0, MOST_NAMED).join(', ');
  return `${unreadable} and not shown: ${named}${more}. Remove ${folders} in ${jobsFolder(stateFolder())}.`;
}

/** A slow host must not hold up the list. */
const PROGRESS_MS = 3000;

/** The progress of running jobs, from their output. */
async function progressOf(
  jobs: Jobs,
  records: readonly JobRecord[],
): Promise<ReadonlyMap<string, ProgressState>> {
  const running = records.filter(({ state }) => state === 'running');
  const views = await Promise.all(running.map(({ id }) => firstView(jobs, id)));
  return new Map(views.flatMap(view => (view?.progress ? [[view.record.id, view.progress] as const] : [])));
}

function firstView(jobs: Jobs, id: string): Promise<JobView | null> {
  return new Promise(done => {
    let end = (): void => undefined;
    const settle = (view: JobView | null): void => {
      clearTimeout(timer);
      end();
      done(view);
    };
    const timer = setTimeout(() => settle(null), PROGRESS_MS);
    end = jobs.follow(id, settle);
  });
}

/** `headroom logs ID`: a job's output, and with `--follow` its further output. */
export async function logs(
  name: string,
  options: OutputOptions & JobsOptions & { readonly follow?: boolean },
): Promise<void> {
  const jobs = openJobsHere(options);
  const { id } = await jobNamed(jobs, name);
  if (options.follow) await followOutput(jobs, id, terminalOutput(options), NEVER);
  else await writeFrom(jobs, id, 0);
}

/** `headroom stop ID`: climbs the stop ladder until the job is over. */
export async function stopJob(name: string, options: OutputOptions & JobsOptions): Promise<void> {
  const jobs = openJobsHere(options);
  const output = terminalOutput(options);
  const record = await jobNamed(jobs, name);
  if (isFinal(record)) {
    output.err(`${stateText(record)}: nothing to stop.`);
    return;
  }
  output.err(`Stopping ${record.id}: interrupt, then terminate, then kill.`);
  const stopped = await jobs.stop(record.id, NEVER);
  output.out(stateText(stopped));
  if (!isFinal(stopped)) process.exitCode = EXIT.undecided;
}

/** `headroom jobs fetch ID`: copies a job's results from another machine to a local folder. */
export async function fetchJob(
  name: string,
  options: OutputOptions & JobsOptions & { readonly into?: string },
): Promise<void> {
  const jobs = openJobsHere(options);
  const output = terminalOutput(options);
  const record = await jobNamed(jobs, name);
  const where = whyNotFetched(record);
  if (where !== null) {
    output.err(`${record.id}: ${where}`);
    return;
  }
  const into = options.into ?? resultsFolder(record);
  const names = await jobs.fetch(record.id, into, NEVER).catch(throwAsBadInput);
  for (const file of names) output.out(join(into, file));
  const left = isFinal(record) ? '' : ` It is ${record.state}: more may follow.`;
  output.err(
    names.length === 0
      ? `${record.id}: no results ${record.writes.length > 0 ? `in ${record.writes.join(', ')}` : 'in its folder'} yet.${left}`
      : `Downloaded ${names.length} ${names.length === 1 ? 'file' : 'files'} of ${record.id} to ${into}.${left}`,
  );
}

/** `headroom jobs clean ID…`: removes finished jobs and their copies on hosts. */
export async function cleanJobs(
  names: readonly string[],
  options: OutputOptions & JobsOptions & { readonly ended?: boolean; readonly force?: boolean },
): Promise<void> {
  const jobs = openJobsHere(options);
  const output = terminalOutput(options);
  if (names.length === 0 && !options.ended) {
    throw new BadInput('Give job ids, or --ended for all ended jobs.');
  }
  const chosen = [...(options.ended ? (await jobs.list()).filter(isFinal) : [])];
  for (const name of names) chosen.push(await jobNamed(jobs, name));
  const kept: string[] = [];
  for (const { id } of new Map(chosen.map(record => [record.id, record])).values()) {
    try {
      await jobs.clean(id, options.force ?? false, NEVER);
      output.out(id);
    } catch (error) {
      if (!(error instanceof JobError)) throw error;
      kept.push(id);
      output.err(error.message);
    }
  }
  if (kept.length > 0) process.exitCode = EXIT.exceeds;
}

function throwAsBadInput(error: unknown): never {
  throw error instanceof JobError ? new BadInput(error.message) : error;
}
