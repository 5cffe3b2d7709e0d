import { layersOf } from './module';
import type { PlacedModule, Room } from './module';

/** How `device_map` says that a model is spread; `auto` is `balanced`. */
export type Strategy = 'auto' | 'balanced' | 'balanced_low_0' | 'sequential';

export interface Balancing {
  readonly strategy: Strategy;
  /** The rooms were given (`max_memory`), not found. */
  readonly given: boolean;
  /** Whose code counts: transformers has its own since release 5, accelerate's was used before. */
  readonly code: 'transformers' | 'accelerate';
}

/** A single GPU keeps a tenth free where no one said otherwise; so does transformers with the host. */
const FILLED = 0.9;

/** Beyond an equal part each GPU gets this much of the largest piece, so that nothing is left over at the end. */
const SPARE = 1.25;

/**
 * Rooms such that GPUs are filled evenly (transformers 5.23, integrations/accelerate.py, get_balanced_memory; accelerate
 * 1.15, utils/modeling.py). The last GPU keeps all of its room. `sequential` fills one GPU after the other.
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

/** The largest layer; since transformers has code of its own also the largest module with weights in it. */
function spareOf(root: PlacedModule, { code }: Balancing): number {
  const layers = layersOf(root);
  const whole = layers.filter(layer => layer.whole);
  const pieces = code === 'transformers' ? layers : whole.length > 0 ? whole : layers;
  return Math.floor(SPARE * pieces.reduce((most, { bytes }) => Math.max(most, bytes), 0));
}

/** The first GPU gets what the others have no room for. */
function leastOf(root: PlacedModule, room: Room, rooms: readonly Room[], gpus: number): Room {
  const others = rooms.filter(({ device }) => typeof device === 'number' && device > 0 && device < gpus);
  const rest = Math.max(0, root.bytes - others.reduce((sum, { bytes }) => sum + bytes, 0));
  return { ...room, bytes: Math.min(rest, room.bytes) };
}
