import { scriptOf } from '../../remote/script';
import startWatchSh from './startWatch.sh';
import watchSh from './watch.sh';

/**
 * Runs next to a job on its host, with `sh -c`; its arguments are the output file, the job's mark, and the process
 * it ends with. Every few seconds it writes the GPUs, and the memory on them of the job's processes, which it
 * identifies by the variable they were started with. It contains no single quotes, so that it can be quoted with
 * them.
 */
export const WATCH = scriptOf(watchSh);

/**
 * Starts the watch outside the job's process group, which does not wait for it; `file` is a shell word. The mark is
 * the value of HEADROOM_JOB; it and the file are saved, because the watch itself runs without that variable.
 */
export const startWatch = (text: string, file: string): string =>
  scriptOf(startWatchSh, { TEXT: text, FILE: file }).trimEnd();
