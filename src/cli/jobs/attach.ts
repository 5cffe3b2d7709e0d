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
      output.err(`Left as it is: headroom stop ${id}, headroom logs ${id}.`);
      return;
    }
    isStopping = true;
    output.err('Stopping: interrupted first, then told to terminate, then killed. Ctrl-C again leaves it.');
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
