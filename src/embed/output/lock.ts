import { readFileSync } from 'node:fs';
import { link, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { boundedText } from '../../files/bounded';
import { EmbedError, diskFault } from '../errors';

/** The process that currently owns the folder. */
interface Holder {
  readonly host: string;
  readonly pid: number;
  /** The process's start time: its pid may have been reused since. Null if unknown. */
  readonly began: string | null;
}

const NAME = 'lock.json';
/** A lock names a process. */
const MOST_BYTES = 64 * 1024;

/**
 * Held while a process writes to a folder, by at most one at a time. The lock of a killed process is taken over.
 */
export class FolderLock {
  private constructor(
    private readonly path: string,
    private readonly text: string,
  ) {}

  static async take(folder: string): Promise<FolderLock> {
    const path = join(folder, NAME);
    const own: Holder = { host: hostname(), pid: process.pid, began: beganOf(process.pid) };
    const text = JSON.stringify(own);
    for (let attempt = 0; attempt < 3; attempt++) {
      const isOurs = await writeFile(path, text, { flag: 'wx' }).then(
        () => true,
        (error: unknown) => {
          if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
          throw diskFault(folder, error);
        },
      );
      if (isOurs) return new FolderLock(path, text);
      await takeAway(path, folder);
    }
    throw new EmbedError('busy', `${folder}: other processes use this folder right now; try again.`);
  }

  async release(): Promise<void> {
    const now = await boundedText(this.path, MOST_BYTES);
    if (now === this.text) await rm(this.path, { force: true });
  }
}

/** Removes the lock of a dead process; throws if its holder is alive or unknown. */
async function takeAway(path: string, folder: string): Promise<void> {
  const text = await boundedText(path, MOST_BYTES);
  if (text === null) return;
  const holder = holderIn(text);
  if (holder !== null && isAlive(holder, path, folder)) {
    throw new EmbedError(
      'busy',
      `${folder}: process ${holder.pid} writes into this folder. Wait for it, or stop it.`,
    );
  }
  const aside = `${path}.${process.pid}`;
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  // If another process took the lock meanwhile, it is restored.
  const taken = await boundedText(aside, MOST_BYTES);
  if (taken !== text) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
}

/** A lock file is empty if the power failed while it was written. */
function holderIn(text: string): Holder | null {
  try {
    return JSON.parse(text) as Holder;
  } catch {
    return null;
  }
}

function isAlive(holder: Holder, path: string, folder: string): boolean {
  if (holder.host !== hostname()) {
    throw new EmbedError(
      'busy',
      `${folder}: process ${holder.pid} on ${holder.host} writes into this folder. Wait for it, or remove ${path} when it is gone.`,
    );
  }
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return holder.began === null || holder.began === beganOf(holder.pid);
}

/** Boot id and start time of a process on Linux (proc(5): field 22 of stat); null elsewhere. */
function beganOf(pid: number): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return `${boot}:${fields[19] ?? ''}`;
  } catch {
    return null;
  }
}
