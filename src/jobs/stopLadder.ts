import { setTimeout as pause } from 'node:timers/promises';
import type { JobEngine, StopRung } from './engine';
import type { JobRecord } from './job';
import type { Signal } from '../core/signal';

/** How long each rung waits before the next. */
export interface StopPauses {
  readonly interruptMs: number;
  readonly terminateMs: number;
  readonly killMs: number;
}

/**
 * An interrupted trainer may write a checkpoint first: it gets the time that Slurm leaves between its two signals
 * (slurm.conf, KillWait: 30 s). After SIGTERM it gets what Docker gives a container (docker stop: 10 s).
 */
export const STOP_PAUSES: StopPauses = { interruptMs: 30_000, terminateMs: 10_000, killMs: 10_000 };

const LOOK_MS = 250;

/** Sends one rung after the other until the job is over; false if even the last did not end it. */
export async function climb(
  stop: (rung: StopRung) => Promise<void>,
  isOver: () => Promise<boolean>,
  pauses: StopPauses,
  signal: Signal,
): Promise<boolean> {
  const rungs = [
    ['interrupt', pauses.interruptMs],
    ['terminate', pauses.terminateMs],
    ['kill', pauses.killMs],
  ] as const;
  for (const [rung, ms] of rungs) {
    if (signal.aborted) break;
    await stop(rung);
    if (await waitUntilOver(isOver, Date.now() + ms, signal)) return true;
  }
  return isOver();
}

/** Terminates, then kills, what a job's first process left behind, in any session. */
export async function sweep(
  engine: Pick<JobEngine, 'leftOf'>,
  record: JobRecord,
  send: (rung: StopRung) => Promise<void>,
  pauses: StopPauses,
): Promise<void> {
  const isEmpty = async (): Promise<boolean> => ((await engine.leftOf?.(record)) ?? 0) === 0;
  for (const [rung, ms] of [
    ['terminate', pauses.terminateMs],
    ['kill', pauses.killMs],
  ] as const) {
    if (await isEmpty()) return;
    await send(rung);
    if (await waitUntilOver(isEmpty, Date.now() + ms, { aborted: false })) return;
  }
}

async function waitUntilOver(
  isOver: () => Promise<boolean>,
  endMs: number,
  signal: Signal,
): Promise<boolean> {
  while (Date.now() < endMs && !signal.aborted) {
    if (await isOver()) return true;
    await pause(LOOK_MS);
  }
  return false;
}
