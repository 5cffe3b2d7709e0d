import type { Slot } from './slots';

/** One part of a work that is split, as it stands. `index` from 0. */
export interface Shard {
  readonly index: number;
  readonly state: 'waiting' | 'running' | 'done' | 'failed';
  /** The job that runs it, or ran it last. */
  readonly job: string | null;
  /** Name of the slot. */
  readonly slot: string | null;
  /** Hosts on which it failed, once for each time. */
  readonly failures: readonly string[];
  /** Machines of a scheduler on which it failed; absent: none is known. */
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

/** A part that fails so often fails for its own reason. */
export const MOST_FAILURES = 3;
/** A slot on which so many parts failed in a row is left alone, while another works. */
const BAD_SLOT = 2;

/**
 * Which waiting part is to run where: the first part on the first free slot, but not on a host on which it failed while another
 * host is there. `spoiled`: failures in a row, by slot.
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

/** After a failure: again, elsewhere; or not any more. `machine`: of a scheduler's, where it is known. */
export function afterFailure(shard: Shard, host: string, machine: string | null = null): Shard {
  const failures = [...shard.failures, host];
  const avoid = machine === null ? {} : { avoid: [...new Set([...(shard.avoid ?? []), machine])] };
  return { ...shard, ...avoid, failures, state: failures.length >= MOST_FAILURES ? 'failed' : 'waiting' };
}
