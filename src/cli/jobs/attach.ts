import type { Jobs } from '../../jobs/jobs';
import type { ExitCode } from '../exit';
import type { Output } from '../output';
import { ended, followOutput } from './follow';

/** Follows a job that was started here. Ctrl-C stops it; a second one leaves it as it is then. */
export async function attach(jobs: Jobs, id: string, output: Output): Promise<ExitCode> {
  const leaving = { aborted: false };
  let isStopping = false;
  const interrupt = (): void => {
    if (isStopping) {
      leaving.aborted = true;
      output.err(`The job keeps running. Use headroom logs ${id} or headroom stop ${id}.`);
      return;
    }
    isStopping = true;
    output.err('Stopping: interrupt, then terminate, then kill. Press Ctrl-C again to detach.');
    void jobs.stop(id, leaving).catch((error: unknown) => output.err(String(error)));
  };
  process.on('SIGINT', interrupt);
  try {
    const record = await followOutput(jobs, id, output, leaving);
    return ended((await jobs.get(id)) ?? record, output);
  } finally {
    process.off('SIGINT', interrupt);
  }
}
