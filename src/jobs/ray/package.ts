import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { zipSync } from 'fflate';
import type { Zippable } from 'fflate';
import { boundedRead } from '../../files/bounded';
import type { Choice } from '../copy/choose';
import { JobError } from '../engine';

/** Zip's earliest date, so that the same files give the same bytes. */
const FIRST_DAY = new Date(1980, 0, 1);
/** Marks the zip as made on Unix, so that file modes apply. */
const UNIX = 3;
/** Mode of a file that its owner may write and all may read. */
const PLAIN_FILE = 0o100644;

/**
 * The chosen files, and further named ones, as a Ray working_dir: a zip named by its content hash. Links are followed to regular
 * files. Together they have `mostBytes`, also those that grew since they were chosen.
 */
export async function rayPackage(
  choice: Choice,
  mostBytes: number,
  more: Readonly<Record<string, string>> = {},
): Promise<{ readonly name: string; readonly bytes: Uint8Array }> {
  const files: Zippable = {};
  let left = mostBytes;
  for (const path of choice.files) {
    const whole = join(choice.folder, path);
    const found = await stat(whole).catch(() => null);
    const read = found?.isFile() ? await boundedRead(whole, left) : null;
    if (found === null || read === null) continue;
    if ('why' in read) {
      if (read.why !== 'too-large') continue;
      throw new JobError('refused', `${path} is too large for the package. Exclude it in .headroomignore.`);
    }
    left -= read.length;
    const attrs = (found.mode << 16) >>> 0;
    files[path] = [read, { os: UNIX, attrs, mtime: FIRST_DAY }];
  }
  for (const [name, text] of Object.entries(more)) {
    files[name] = [Buffer.from(text), { os: UNIX, attrs: (PLAIN_FILE << 16) >>> 0, mtime: FIRST_DAY }];
  }
  const bytes = zipSync(files);
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 32);
  return { name: `_ray_pkg_${digest}.zip`, bytes };
}
