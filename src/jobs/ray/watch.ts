import { scriptOf } from '../../remote/script';
import { startWatch, WATCH } from '../remote/watchScript';
import watchSh from './watch.sh';

/** Goes along in a job's package, where it has GPUs. */
export const WATCH_FILE = '.headroom-watch.sh';

/** The file among the logs of the job's node that its watch writes. */
export const samplesFile = (id: string): string => `headroom-samples-${id}`;

/**
 * Runs the command behind it with a watch beside it. Ray gives what lies among a node's logs to whoever may ask its dashboard, and
 * the log of the job is where its output goes: no other way into the node is needed.
 */
export const WATCH_SCRIPT = scriptOf(watchSh, {
  START_WATCH: startWatch(`'${WATCH}'`, `"\${log%/*}/${samplesFile('$HEADROOM_JOB')}"`),
});
