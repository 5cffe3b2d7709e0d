import { scriptOf } from '../../remote/script';
import { startWatch, WATCH } from '../remote/watchScript';
import watchSh from './watch.sh';

/** Added to the package of a job with GPUs. */
export const WATCH_FILE = '.headroom-watch.sh';

/** The samples file that the watch writes to the logs of the job's node. */
export const samplesFile = (id: string): string => `headroom-samples-${id}`;

/**
 * Runs a command with a GPU watch next to it. The watch writes to the node's log folder, whose files Ray's
 * dashboard serves, and the job's output is its log: no other access to the node is needed.
 */
export const WATCH_SCRIPT = scriptOf(watchSh, {
  START_WATCH: startWatch(`'${WATCH}'`, `"\${log%/*}/${samplesFile('$HEADROOM_JOB')}"`),
});
