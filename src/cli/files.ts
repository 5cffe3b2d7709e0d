import { constants } from 'node:fs';
import { chmod, access, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { BadInput } from './output';
import { reasonOf } from '../core/text/errors';

/** A file to replace: its expected content and its new content. */
export interface Replacement {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** A replaced file, for the undo record; `backup` is '' if none was written. */
export interface Replaced extends Replacement {
  readonly backup: string;
}

/**
 * Replaces all files or none. Each must still contain the analyzed text and be writable; the new text is written to
 * a temporary file that then replaces it, following links and keeping the mode. Backups never overwrite older ones.
 */
export async function replaceAll(
  replacements: readonly Replacement[],
  backups: boolean,
): Promise<Replaced[]> {
  const prepared = [];
  for (const replacement of replacements) prepared.push(await prepare(replacement));
  const staged: string[] = [];
  const done: Replaced[] = [];
  try {
    for (const { path, after, mode } of prepared) {
      const temporary = `${path}.headroom-${process.pid}`;
      staged.push(temporary);
      await writeFile(temporary, after, { mode, flag: 'wx' });
      // The umask reduces the mode of a new file.
      await chmod(temporary, mode);
    }
    for (const [i, { path, before, after }] of prepared.entries()) {
      const backup = backups ? await writeBackup(path, before) : '';
      await rename(staged[i] ?? '', path);
      done.push({ path, before, after, backup });
    }
    return done;
  } catch (error) {
    for (const { path, before } of done) await writeFile(path, before);
    for (const temporary of staged) await rm(temporary, { force: true });
    throw new BadInput(`Nothing was changed: ${reasonOf(error)}.`);
  }
}

async function prepare({ path: given, before, after }: Replacement) {
  const path = await realpath(given).catch(() => {
    throw new BadInput(`${given}: the file no longer exists; nothing was changed.`);
  });
  await access(path, constants.W_OK).catch(() => {
    throw new BadInput(
      `${given}: the file is not writable; nothing was changed. Change its permissions and try again.`,
    );
  });
  if ((await readFile(path, 'utf8')) !== before) {
    throw new BadInput(
      `${given}: the file changed during the analysis; nothing was changed. Run the command again.`,
    );
  }
  return { path, before, after, mode: (await stat(path)).mode };
}

/** `config.yaml.backup`, then `.backup.1`, `.backup.2` …: an older backup is never overwritten. */
async function writeBackup(path: string, text: string): Promise<string> {
  for (let n = 0; ; n++) {
    const backup = n === 0 ? `${path}.backup` : `${path}.backup.${n}`;
    try {
      await writeFile(backup, text, { flag: 'wx' });
      return backup;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}
