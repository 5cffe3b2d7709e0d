import { link, rm, unlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { isRecord } from '../core/text/json';
import { boundedText } from '../files/bounded';
import { diskError } from './files';
import type { JobRecord, Starter } from './job';
import { isAlive, processesOf } from './processes/processes';
import type { KnownProcess } from './processes/processes';

const ownProcesses = processesOf(process.platform);
const RETRY_MS = 25;

/** This process, in the form that lets others check whether it still lives. */
async function thisProcess(): Promise<KnownProcess> {
  const { start = '' } = (await ownProcesses.of(process.pid)) ?? {};
  return { pid: process.pid, start };
}

let self: Promise<KnownProcess> | null = null;
let made = 0;

export const ownerIn = (value: unknown): KnownProcess | null =>
  isRecord(value) && typeof value['pid'] === 'number' && typeof value['start'] === 'string'
    ? { pid: value['pid'], start: value['start'] }
    : null;

/**
 * Takes a lock, which is a file that contains its owner; null while another live process has it. Takes over a lock
 * whose owner is gone. Returns the function that releases it.
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

/** Null if the lock was released meanwhile; another process may take it next. */
const textOf = (path: string): Promise<string | null> => boundedText(path);

async function isHeld(text: string): Promise<boolean> {
  const owner = ownerIn(parsed(text));
  return owner !== null && (await isAlive(ownProcesses, owner));
}

/**
 * Waits for the lock, does the work, and releases the lock. Owners hold it only as long as writing a file takes.
 */
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

/** The file is complete before it appears: a lock without an owner does not exist. */
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

/** Removes a dead owner's lock; one process at a time, and only while that owner's lock is still there. */
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

/** Whether the starter is known to be gone. */
async function hasEnded(starter: Starter | undefined): Promise<boolean> {
  if (starter?.host !== hostname()) return false;
  return !(await isAlive(ownProcesses, starter));
}

/** After this, the host itself declares an unconfirmed start failed, so that it cannot happen later. */
const START_MS = 120_000;
/** The limit while the folder may still be copied. */
const COPY_MS = 30 * 60_000;

/** Whether an unconfirmed start will not happen: its starter is gone, or its time is up. */
export async function isCutOff(
  { handle, createdMs, starter }: JobRecord,
  nowMs: number,
  startLimitMs = START_MS,
): Promise<boolean> {
  const noted = handle?.['notedMs'];
  const limit = typeof noted === 'number' ? noted + startLimitMs : createdMs + COPY_MS;
  return nowMs >= limit || hasEnded(starter);
}
