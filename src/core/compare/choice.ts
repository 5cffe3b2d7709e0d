import type { Target } from '../hardware/gpu';
import { parseTarget } from '../hardware/target';
import type { GpuSource } from '../hardware/match';
import type { Place } from './place';

/** The name that users and settings use for the machine that Headroom runs on. */
const HERE = 'this machine';

/** A target as a setting names it: a GPU and, optionally, its place. */
interface Choice {
  /** `RTX 4090`, `2x A100 80GB PCIe`, `24GB`. */
  readonly gpu: string;
  /** `box`, `hpc, gpu`, `this machine`; null: any place. */
  readonly where: string | null;
}

/** Parses `2x A100 80GB PCIe @ box`. The choice also holds while it is unknown whether the host is up. */
export function choiceOf(text: string): Choice {
  const [, gpu = text, where = null] = /^(.*\S)\s+@\s+(\S.*)$/s.exec(text.trim()) ?? [];
  return { gpu: gpu.trim(), where };
}

/** A place as `choiceOf` parses it. */
export function choiceText({ kind, where, gpus: gpuCount, target }: Place, gpus: GpuSource): string {
  const reading = parseTarget(target.name, gpus, { count: null, nodes: 1 });
  const size = `${Number((target.totalMiB / 1024).toFixed(2))}GB`;
  const name = reading.ok && reading.target.totalMiB === target.totalMiB ? target.name : size;
  const counts = (kind === 'local' || kind === 'ssh') && gpuCount !== null && gpuCount > 1;
  const gpu = counts ? `${gpuCount}x ${name}` : name;
  if (kind === 'catalog') return gpu;
  return `${gpu} @ ${kind === 'local' ? HERE : where}`;
}

/** The chosen place, with the memory that is in use there now; null if there is no such place now. */
export function chosenPlace(choice: Choice, target: Target, places: readonly Place[]): Place | null {
  if (choice.where === null) return null;
  const isAtPlace = ({ kind, where }: Place): boolean => (kind === 'local' ? HERE : where) === choice.where;
  const isSameGpu = ({ target: other }: Place): boolean =>
    other.name === target.name || other.totalMiB === target.totalMiB;
  const found = places.filter(place => isAtPlace(place) && isSameGpu(place));
  // Prefer the place with the chosen count, else the first, which has the most free memory.
  return found.find(({ target: { count } }) => count === target.count) ?? found[0] ?? null;
}
