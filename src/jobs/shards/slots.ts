import type { JobPlace } from '../job';

/** A place that runs one part at a time: a GPU of a host, a CPU worker, a place in a scheduler's queue. */
export interface Slot {
  /** `gpu-a · GPU-4f…`; unique. */
  readonly name: string;
  /** Hosts and clusters fail as a whole. */
  readonly host: string;
  readonly place: JobPlace;
  /** UUID; null: none, or a scheduler chooses. */
  readonly gpu: string | null;
}

/** A host and its GPUs to use; if there are none, the number of CPU workers. */
export interface SlotHost {
  readonly place: JobPlace;
  readonly name: string;
  readonly gpus: readonly string[];
  readonly workers: number;
}

/** One slot per GPU, by UUID, alternating between hosts, so that a few parts are spread over all of them. */
export function slotsOf(hosts: readonly SlotHost[]): readonly Slot[] {
  const columns = hosts.map(({ place, name, gpus, workers }): readonly Slot[] =>
    gpus.length > 0
      ? gpus.map(gpu => ({ name: `${name} · ${gpu}`, host: name, place, gpu }))
      : Array.from({ length: workers }, (_, at) => ({
          name: workers === 1 ? name : `${name} · ${at + 1}`,
          host: name,
          place,
          gpu: null,
        })),
  );
  const longest = Math.max(0, ...columns.map(column => column.length));
  return Array.from({ length: longest }, (_, at) =>
    columns.flatMap(column => column.slice(at, at + 1)),
  ).flat();
}
