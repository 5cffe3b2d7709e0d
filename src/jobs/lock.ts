import { link, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { diskError } from './files';
import { isAlive, processesOf } from './processes/processes';
import type { KnownProcess, Processes } from './processes/processes';
import { isRecord } from '../core/text/json';

const here = processesOf(process.platform);
const RETRY_MS = 25;

/** This process, as others can tell whether it still lives. */
export async function thisProcess(processes: Processes = here): Promise<KnownProcess> {
  const { start = '' } = (await processes.of(process.pid)) ?? {};
  return { pid: process.pid, start };
}

let self: Promise<KnownProcess> | null = null;
let made = 0;

export const ownerIn = (value: unknown): KnownProcess | null =>
  isRecord(value) && typeof value['pid'] === 'number' && typeof value['start'] === 'string'
    ? { pid: value['pid'], start: value['start'] }
    : null;

/**
 * Takes a lock that is a file with its owner in it; null while another process that lives has it. One whose owner is gone
 * is taken over. What is returned gives it back.
 */
export async function tryLock(path: string): Promise<(() => Promise<void>) | null> {
  if (await claim(path)) return () => rm(path, { force: true });
  const found = await textOf(path);
  if (found !== null) {
    if (await isHeld(found)) return null;
    await takeAway(path, found);
  }
  return (await claim(path)) ? () => rm(path, { force: true }) : null;
}

/** Null where there is none: it was given back meanwhile, and may be somebody else's a moment later. */
const textOf = (path: string): Promise<string | null> => readFile(path, 'utf8').catch(() => null);

async function isHeld(text: string): Promise<boolean> {
  const owner = ownerIn(parsed(text));
  return owner !== null && (await isAlive(here, owner));
}

/** Waits for the lock, works, and gives it back. Its owners hold it for as long as a file takes to write. */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  for (;;) {
    const release = await tryLock(path);
    if (release) {
      try {
        return await work();
      } finally {
        await release();
      }
    }
    await pause(RETRY_MS + Math.random() * RETRY_MS);
  }
}

/** The owner is in the file before the file is there: a lock without an owner does not exist. */
async function claim(path: string): Promise<boolean> {
  self ??= thisProcess();
  const mine = `${path}.${process.pid}-${(made += 1)}`;
  try {
    await writeFile(mine, JSON.stringify(await self), { mode: 0o600 });
    await link(mine, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw diskError(path, error);
  } finally {
    await rm(mine, { force: true }).catch(() => undefined);
  }
}

/** One at a time takes a lock away, and only while it is still the dead owner's. */
async function takeAway(path: string, dead: string): Promise<void> {
  const turn = `${path}.taking`;
  if (!(await claim(turn))) {
    const other = await textOf(turn);
    if (other !== null && !(await isHeld(other))) await rm(turn, { force: true });
    return;
  }
  try {
    if ((await textOf(path)) === dead) await unlink(path).catch(() => undefined);
  } finally {
    await rm(turn, { force: true });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
