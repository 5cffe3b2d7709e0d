import { link, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { isRecord } from '../core/text/json';
import { diskError } from './files';
import type { JobRecord, Starter } from './job';
import { isAlive, processesOf } from './processes/processes';
import type { KnownProcess, Processes } from './processes/processes';

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

/** Null where there is none: it was given back meanwhile, and may be someone else's a moment later. */
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

export async function thisStarter(): Promise<Starter> {
  return { ...(await thisProcess()), host: hostname() };
}

/** Whether it is known that no one starts it any more. */
export async function isGone(starter: Starter | undefined): Promise<boolean> {
  if (starter?.host !== hostname()) return false;
  return !(await isAlive(here, starter));
}

/** After this, a start that was never heard of is declared over, on the host itself: no one can make it then. */
const START_MS = 120_000;
/** The same while the folder may still be copied. */
const COPY_MS = 30 * 60_000;

/** Whether a start that was not heard of will not come: who was to make it is gone, or had time enough. */
export async function isCutOff(
  { handle, createdMs, starter }: JobRecord,
  nowMs: number,
  startLimitMs = START_MS,
): Promise<boolean> {
  const noted = handle?.['notedMs'];
  const limit = typeof noted === 'number' ? noted + startLimitMs : createdMs + COPY_MS;
  return nowMs >= limit || isGone(starter);
}
