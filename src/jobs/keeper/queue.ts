import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readJson } from '../files';
import type { GpuSight, SeenGpu } from '../../core/hardware/sight';
import type { GpuPort } from '../gpuPort';
import type { JobRecord, JobWait } from '../job';
import { ownerIn, withLock } from '../lock';
import { isAlive, JOB_MARK } from '../processes/processes';
import type { Processes } from '../processes/process';
import type { Signal } from '../../core/signal';
import { isFinal } from '../settle';
import type { JobStore } from '../store';
import { chooseGpus, compete } from './choose';
import type { Holder } from './choose';
import { phrase } from '../../core/text/say';

const LOOK_MS = 1000;

/** A job's turn: its GPUs (null: it needs none), or why there will never be one. */
type Turn =
  | { readonly kind: 'go'; readonly gpus: readonly SeenGpu[] | null }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'never'; readonly why: string };

/**
 * Waits until enough memory is free and no earlier job waits for the same GPUs. There is no coordinator: each
 * keeper checks for itself and decides while it holds the queue's lock, so that no two take the same memory.
 */
export async function waitForTurn(
  store: JobStore,
  id: string,
  port: GpuPort,
  processes: Processes,
  stopSignal: Signal,
): Promise<Turn> {
  const first = await store.update(id, now =>
    now.state === 'stopping' ? null : { ...now, state: 'queued' },
  );
  // A keeper that is not ready yet misses the stop signal, so check the record: the job must not start then.
  if (first.state === 'stopping') return { kind: 'stopped' };
  if (first.gpus.count === 0) return { kind: 'go', gpus: null };
  for (;;) {
    if (stopSignal.aborted) return { kind: 'stopped' };
    // A job that waits behind others does not query the tools.
    const sight = (await waitsBehind(store, id, processes)) ? undefined : await port.look();
    const turn = sight === undefined ? null : await decide(store, id, sight, processes);
    if (turn) return turn;
    await pause(LOOK_MS);
  }
}

/** Whether earlier jobs wait; writes that to the record. A canceled job waits for none. */
async function waitsBehind(store: JobStore, id: string, processes: Processes): Promise<boolean> {
  const record = await store.read(id);
  if (record?.state !== 'queued') return false;
  const before = await firstBefore(store, record, await otherActiveJobs(store, id), processes);
  if (!before) return false;
  const message = phrase`waits behind ${before.id} (${before.name})`;
  await waiting(store, id, message, { for: 'job', id: before.id });
  return true;
}

async function waiting(store: JobStore, id: string, message: string, waits: JobWait): Promise<void> {
  await store.update(id, now => (now.message === message ? null : { ...now, message, waits }));
}

const otherActiveJobs = async (store: JobStore, id: string): Promise<readonly JobRecord[]> =>
  (await store.all()).filter(one => one.id !== id && one.place.engine === 'local' && !isFinal(one));

/** Null: not yet. */
async function decide(
  store: JobStore,
  id: string,
  sight: GpuSight | null,
  processes: Processes,
): Promise<Turn | null> {
  return withLock(join(store.folder, 'queue.lock'), async () => {
    const record = await store.read(id);
    if (!record || record.state === 'stopping' || isFinal(record)) return { kind: 'stopped' };
    // GPUs are not read here, so none is known to be full.
    if (sight === null) return { kind: 'go', gpus: null };
    const active = await otherActiveJobs(store, id);
    if (await firstBefore(store, record, active, processes)) return null;
    const choice = chooseGpus(record.gpus, sight, await holdersAmong(active, sight, processes));
    if (choice.kind === 'never') return choice;
    if (choice.kind === 'wait') {
      await waiting(store, id, choice.why, { for: 'gpus' });
      return null;
    }
    const uuids = choice.gpus.map(({ uuid }) => uuid);
    const chosen = record.gpus.uuids.length === 0 ? { chosen: true as const } : {};
    const taken = await store.update(id, now =>
      now.state === 'stopping'
        ? null
        : { ...now, state: 'starting', message: null, waits: null, gpus: { ...now.gpus, uuids, ...chosen } },
    );
    return taken.state === 'stopping' ? { kind: 'stopped' } : { kind: 'go', gpus: choice.gpus };
  });
}

/** By creation time, because ids have a resolution of a second; ties are broken by the random part. */
const isBefore = (a: JobRecord, b: JobRecord): boolean =>
  a.createdMs === b.createdMs ? a.id < b.id : a.createdMs < b.createdMs;

/** The first earlier job that waits for the same GPUs and still has a keeper. */
async function firstBefore(
  store: JobStore,
  record: JobRecord,
  active: readonly JobRecord[],
  processes: Processes,
): Promise<JobRecord | null> {
  const earlier = active.filter(
    one =>
      one.state === 'queued' && isBefore(one, record) && one.gpus.count > 0 && compete(one.gpus, record.gpus),
  );
  for (const one of earlier) {
    const keeper = ownerIn(await readJson(store.paths(one.id).keeper));
    if (keeper && (await isAlive(processes, keeper))) return one;
  }
  return null;
}

async function holdersAmong(
  active: readonly JobRecord[],
  sight: GpuSight,
  processes: Processes,
): Promise<readonly Holder[]> {
  const holding = active.filter(({ state, gpus }) => state !== 'queued' && gpus.uuids.length > 0);
  return Promise.all(
    holding.map(async ({ id, gpus }) => ({ id, gpus, heldBytes: await heldBy(id, sight, processes) })),
  );
}

/** The memory that a job's processes hold, by GPU; omits a GPU on which one of them holds an unknown amount. */
export async function heldBy(
  id: string,
  { processes: on }: GpuSight,
  processes: Processes,
): Promise<Readonly<Record<string, number>>> {
  const held = new Map<string, number | null>();
  for (const { pid, uuid, bytes } of on ?? []) {
    if (uuid === null || !(await processes.startedWith(pid, JOB_MARK, id))) continue;
    const before = held.get(uuid);
    held.set(uuid, bytes === null || before === null ? null : (before ?? 0) + bytes);
  }
  return Object.fromEntries([...held].filter((one): one is [string, number] => one[1] !== null));
}
