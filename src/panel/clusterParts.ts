import type { ClusterPart } from '../core/compare/machines';
import type { Capacity, HostReading } from '../gpu/fleet';
import type { OpenFleet } from '../gpu/openFleet';

/** Partitions of Slurm, and each Ray cluster as a whole, as last read; empty in Restricted Mode. */
export function clusterParts(fleet: OpenFleet | null): readonly ClusterPart[] {
  return (fleet?.watches() ?? []).flatMap(({ host: { id, kind, name }, reading }): ClusterPart[] => {
    if (kind !== 'slurm' && kind !== 'ray') return [];
    const whole = { host: id, engine: kind, partition: null, name };
    const { capacities } = reading;
    if (capacities.length === 0) return [{ ...whole, gpus: null, free: null, note: troubleOf(reading) }];
    if (kind === 'ray') return [{ ...whole, ...together(capacities) }];
    return [...new Set(capacities.map(({ place }) => place))].map(partition => ({
      ...whole,
      ...together(capacities.filter(({ place }) => place === partition)),
      partition,
      name: `${name}, ${partition}`,
    }));
  });
}

/** The number of free GPUs is known only if every capacity reports it. */
function together(capacities: readonly Capacity[]) {
  const free = capacities.map(({ gpusFree }) => gpusFree);
  const notes = new Set(capacities.flatMap(({ note }) => note ?? []));
  return {
    gpus: sum(capacities.map(({ gpusTotal }) => gpusTotal)),
    free: free.includes(null) ? null : sum(free.map(count => count ?? 0)),
    note: notes.size === 0 ? null : [...notes].join('; '),
  };
}

const troubleOf = ({ status: { message, todo } }: HostReading): string | null =>
  message === null ? null : [message, todo].filter(text => text !== null).join(' ');

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
