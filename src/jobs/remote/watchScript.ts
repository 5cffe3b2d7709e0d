import { scriptOf } from '../../remote/script';
import startWatchSh from './startWatch.sh';
import watchSh from './watch.sh';

/**
 * What runs next to a job on its host, for \`sh -c\`, with the file to write, the job's mark, and the process whose end is its own:
 * every few seconds the GPUs, and what the job's processes hold on them, known by the variable that they were started with.
 * No single quote is in it, so that it can stand between two.
 */
export const WATCH = scriptOf(watchSh);

/**
 * Starts it out of the job's group, which ends without it; \`file\` is a word of the shell. The mark is what HEADROOM_JOB is there,
 * kept, as the file is, before the watch itself goes without it.
 */
export const startWatch = (text: string, file: string): string =>
  scriptOf(startWatchSh, { TEXT: text, FILE: file }).trimEnd();
