import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { zipSync } from 'fflate';
import type { Zippable } from 'fflate';
import { scriptOf } from '../../remote/script';
import type { Choice } from '../copy/choose';
import { startWatch, WATCH } from '../remote/watchScript';
import watchSh from './watch.sh';

/** Zip's first day: the same files make the same bytes. */
const FIRST_DAY = new Date(1980, 0, 1);
/** Made on Unix, so that the modes count. */
const UNIX = 3;
/** A file that its owner may write and all may read. */
const PLAIN_FILE = 0o100644;

/** The chosen files, and more by name, as Ray takes a working_dir: a zip whose name is its content. Links are followed. */
export async function rayPackage(
  choice: Choice,
  more: Readonly<Record<string, string>> = {},
): Promise<{ readonly name: string; readonly bytes: Uint8Array }> {
  const files: Zippable = {};
  for (const path of choice.files) {
    const whole = join(choice.folder, path);
    const found = await stat(whole).catch(() => null);
    if (!found?.isFile()) continue;
    const attrs = (found.mode << 16) >>> 0;
    files[path] = [await readFile(whole), { os: UNIX, attrs, mtime: FIRST_DAY }];
  }
  for (const [name, text] of Object.entries(more)) {
    files[name] = [Buffer.from(text), { os: UNIX, attrs: (PLAIN_FILE << 16) >>> 0, mtime: FIRST_DAY }];
  }
  const bytes = zipSync(files);
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 32);
  return { name: `_ray_pkg_${digest}.zip`, bytes };
}

/** Goes along in a job's package, where it has GPUs. */
export const WATCH_FILE = '.headroom-watch.sh';

/** The file among the logs of the job's node that its watch writes. */
export const samplesFile = (id: string): string => `headroom-samples-${id}`;

/**
 * Runs the command behind it with a watch next to it. Ray gives what lies among a node's logs to everyone who may ask its dashboard, and
 * the log of the job is where its output goes: no other way into the node is needed.
 */
export const WATCH_SCRIPT = scriptOf(watchSh, {
  START_WATCH: startWatch(`'${WATCH}'`, `"\${log%/*}/${samplesFile('$HEADROOM_JOB')}"`),
});
