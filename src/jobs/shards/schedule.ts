import type { Slot } from './slots';

/** The state of one part of split work. `index` starts at 0. */
export interface Shard {
  readonly index: number;
  readonly state: 'waiting' | 'running' | 'done' | 'failed';
  /** The job that runs it, or ran it last. */
  readonly job: string | null;
  /** The slot's name. */
  readonly slot: string | null;
  /** Hosts on which it failed, one entry per failure. */
  readonly failures: readonly string[];
  /** The scheduler's machines on which it failed; absent: none known. */
  readonly avoid?: readonly string[];
}

export const newShards = (count: number): readonly Shard[] =>
  Array.from({ length: count }, (_, index) => ({
    index,
    state: 'waiting',
    job: null,
    slot: null,
    failures: [],
  }));

/** A part that fails this often is itself the cause. */
const MOST_FAILURES = 3;
/** A slot on which this many parts failed in a row is skipped while others work. */
const BAD_SLOT = 2;

/**
 * Which waiting part to run where: the first part on the first free slot, but not on a host on which it failed if
 * there is another host. `spoiled`: failures in a row, by slot.
 */
export function nextStarts(
  shards: readonly Shard[],
  slots: readonly Slot[],
  spoiled: ReadonlyMap<string, number>,
): readonly { readonly shard: Shard; readonly slot: Slot }[] {
  const busy = new Set(shards.filter(({ state }) => state === 'running').map(({ slot }) => slot));
  const good = slots.filter(({ name }) => (spoiled.get(name) ?? 0) < BAD_SLOT);
  const usable = good.length > 0 ? good : slots;
  const free = usable.filter(({ name }) => !busy.has(name));
  const starts: { readonly shard: Shard; readonly slot: Slot }[] = [];
  for (const shard of shards.filter(({ state }) => state === 'waiting')) {
    const elsewhere = usable.some(({ host }) => !shard.failures.includes(host));
    const at = free.findIndex(({ host }) => !elsewhere || !shard.failures.includes(host));
    const [slot] = at < 0 ? [] : free.splice(at, 1);
    if (slot !== undefined) starts.push({ shard, slot });
  }
  return starts;
}

/** After a failure: retry elsewhere, or give up. `machine`: the scheduler's, if known. */
export function afterFailure(shard: Shard, host: string, machine: string | null = null): Shard {
  const failures = [...shard.failures, host];
  const avoid = machine === null ? {} : { avoid: [...new Set([...(shard.avoid ?? []), machine])] };
  return { ...shard, ...avoid, failures, state: failures.length >= MOST_FAILURES ? 'failed' : 'waiting' };
}
