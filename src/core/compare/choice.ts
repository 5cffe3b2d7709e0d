import type { Target } from '../hardware/gpu';
import { parseTarget } from '../hardware/target';
import type { GpuSource } from '../hardware/match';
import type { Place } from './place';

/** As people and settings call the machine that Headroom runs on. */
const HERE = 'this machine';

/** What a setting says of a target: a GPU, and the place where it is, if it says so. */
export interface Choice {
  /** `RTX 4090`, `2x A100 80GB PCIe`, `24GB`. */
  readonly gpu: string;
  /** `box`, `hpc, gpu`, `this machine`; null: no place. */
  readonly where: string | null;
}

/** `2x A100 80GB PCIe @ box` is a choice that also holds while no one knows whether the host is up. */
export function choiceOf(text: string): Choice {
  const [, gpu = text, where = null] = /^(.*\S)\s+@\s+(\S.*)$/.exec(text.trim()) ?? [];
  return { gpu: gpu.trim(), where };
}

/** How a place is chosen, so that it can be read again. */
export function choiceText({ kind, where, gpus: there, target }: Place, gpus: GpuSource): string {
  const reading = parseTarget(target.name, gpus, { count: null, nodes: 1 });
  const size = `${Number((target.totalMiB / 1024).toFixed(2))}GB`;
  const name = reading.ok && reading.target.totalMiB === target.totalMiB ? target.name : size;
  const counts = (kind === 'local' || kind === 'ssh') && there !== null && there > 1;
  const gpu = counts ? `${there}x ${name}` : name;
  if (kind === 'catalog') return gpu;
  return `${gpu} @ ${kind === 'local' ? HERE : where}`;
}

/** The place that is meant, with the memory that is taken there now; null where there is none of that kind now. */
export function chosenPlace(choice: Choice, target: Target, places: readonly Place[]): Place | null {
  if (choice.where === null) return null;
  const isThere = ({ kind, where }: Place): boolean => (kind === 'local' ? HERE : where) === choice.where;
  const isAlike = ({ target: other }: Place): boolean =>
    other.name === target.name || other.totalMiB === target.totalMiB;
  const found = places.filter(place => isThere(place) && isAlike(place));
  // The one with as many as were chosen; else the first, which has the most memory left.
  return found.find(({ target: { count } }) => count === target.count) ?? found[0] ?? null;
}
