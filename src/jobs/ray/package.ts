import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { zipSync } from 'fflate';
import type { Zippable } from 'fflate';
import type { Choice } from '../copy/choose';

/** Zip's first day: the same files make the same bytes. */
const FIRST_DAY = new Date(1980, 0, 1);
/** Made on Unix, so that the modes count. */
const UNIX = 3;

/** The chosen files as Ray takes a working_dir: a zip whose name is its content. Links are followed. */
export async function rayPackage(
  choice: Choice,
): Promise<{ readonly name: string; readonly bytes: Uint8Array }> {
  const files: Zippable = {};
  for (const path of choice.files) {
    const whole = join(choice.folder, path);
    const found = await stat(whole).catch(() => null);
    if (!found?.isFile()) continue;
    const attrs = (found.mode << 16) >>> 0;
    files[path] = [await readFile(whole), { os: UNIX, attrs, mtime: FIRST_DAY }];
  }
  const bytes = zipSync(files);
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 32);
  return { name: `_ray_pkg_${digest}.zip`, bytes };
}
