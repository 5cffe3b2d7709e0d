import { layersOf } from './module';
import type { PlacedModule, Room } from './module';

/** The strategies of `device_map`; `auto` is `balanced`. */
export type Strategy = 'auto' | 'balanced' | 'balanced_low_0' | 'sequential';

export interface Balancing {
  readonly strategy: Strategy;
  /** The limits were given (`max_memory`), not detected. */
  readonly given: boolean;
  /** Which code applies: transformers' own since release 5, accelerate's before. */
  readonly code: 'transformers' | 'accelerate';
}

/** By default, a single GPU keeps a tenth free; transformers does the same on the host. */
const FILLED = 0.9;

/**
 * In addition to an equal part, each GPU gets this much of the largest module, so that nothing remains at the end.
 */
const SPARE = 1.25;

/**
 * Limits that fill GPUs evenly (transformers 5.23, integrations/accelerate.py, get_balanced_memory; accelerate
 * 1.15, utils/modeling.py). The last GPU keeps its full limit. `sequential` fills one GPU after another.
 */
export function balancedRooms(root: PlacedModule, found: readonly Room[], how: Balancing): readonly Room[] {
  const rooms = how.given || how.code === 'accelerate' ? found : found.map(withHostSpared);
  const gpus = rooms.filter(({ device, bytes }) => typeof device === 'number' && bytes > 0);
  if (how.strategy === 'sequential' || gpus.length === 0) return rooms;
  if (gpus.length === 1) return how.given ? rooms : rooms.map(withGpuSpared);
  const lowZero = how.strategy === 'balanced_low_0';
  const part = Math.floor(root.bytes / (lowZero ? gpus.length - 1 : gpus.length)) + spareOf(root, how);
  const last = gpus.at(-1);
  const even = rooms.map(room => {
    const keeps = !gpus.includes(room) || room === last || (lowZero && room.device === 0);
    return keeps ? room : { ...room, bytes: Math.min(part, room.bytes) };
  });
  return lowZero
    ? even.map(room => (room.device === 0 ? leastOf(root, room, even, gpus.length) : room))
    : even;
}

const withHostSpared = (room: Room): Room =>
  room.device === 'cpu' ? { ...room, bytes: room.bytes * FILLED } : room;

const withGpuSpared = (room: Room): Room =>
  typeof room.device === 'number' ? { ...room, bytes: room.bytes * FILLED } : room;

/** The largest layer; since transformers has its own code, also the largest module with weights. */
function spareOf(root: PlacedModule, { code }: Balancing): number {
  const layers = layersOf(root);
  const whole = layers.filter(layer => layer.whole);
  const pieces = code === 'transformers' ? layers : whole.length > 0 ? whole : layers;
  return Math.floor(SPARE * pieces.reduce((most, { bytes }) => Math.max(most, bytes), 0));
}

/** The first GPU gets what does not fit on the others. */
function leastOf(root: PlacedModule, room: Room, rooms: readonly Room[], gpus: number): Room {
  const others = rooms.filter(({ device }) => typeof device === 'number' && device > 0 && device < gpus);
  const rest = Math.max(0, root.bytes - others.reduce((sum, { bytes }) => sum + bytes, 0));
  return { ...room, bytes: Math.min(rest, room.bytes) };
}
