import { assigned } from './assign';
import { balancedRooms } from './balance';
import type { Balancing } from './balance';
import { isWithin } from './module';
import type { Device, Placed, Placement, Room } from './module';
import type { Leaf, Tree } from './tree';

/** How devices are filled, and to what share of their memory. */
interface Filling extends Balancing {
  readonly filled: number;
}

/** Places a model's modules as a device map would. */
export function placementIn(tree: Tree, rooms: readonly Room[], how: Filling): Placement {
  const filled = balancedRooms(tree.root, rooms, how).map(({ device, bytes }) => ({
    device,
    bytes: bytes * how.filled,
  }));
  const placed = assigned(tree.root, filled);
  const deviceOf = ({ module: { name } }: Leaf): Device =>
    placed.find(({ module }) => isWithin(name, module.name))?.device ?? 'disk';
  const found = tree.leaves.map(leaf => ({ leaf, device: deviceOf(leaf) }));
  const head = headOf(tree.leaves);
  const order = [...new Set(rooms.map(({ device }) => device)), 'disk' as const];
  const devices = order.flatMap((device): readonly Placed[] => {
    const own = found.filter(one => one.device === device).map(({ leaf }) => leaf);
    return own.length > 0 ? [placedOn(device, own, head)] : [];
  });
  const unique = devices.filter(({ device }, i) => devices.findIndex(one => one.device === device) === i);
  const sum = (of: (one: Placed) => number): number => unique.reduce((all, one) => all + of(one), 0);
  return {
    devices: unique,
    layers: sum(({ layers }) => layers),
    bytes: sum(({ bytes }) => bytes),
    adapters: sum(({ adapters }) => adapters),
  };
}

/** The last module if it has weights in addition to the layers; else the first table. */
function headOf(leaves: readonly Leaf[]): Leaf | undefined {
  const last = leaves.at(-1);
  const isHead = last?.module.name.includes('.') === false && last.module.bytes > 0;
  return isHead ? last : leaves[0];
}

function placedOn(device: Device, leaves: readonly Leaf[], head: Leaf | undefined): Placed {
  const pieces = leaves.flatMap(leaf => leaf.pieces);
  return {
    device,
    modules: rangesOf(leaves.map(({ module }) => module.name).filter(name => !name.endsWith('.'))),
    layers: pieces.filter(({ isLayer }) => isLayer).length,
    bytes: pieces.reduce((sum, { bytes }) => sum + bytes, 0),
    adapters: pieces.reduce((sum, { adapters }) => sum + adapters, 0),
    hasHead: leaves.some(leaf => leaf === head),
    largest: Math.max(0, ...pieces.map(({ largest }) => largest)),
  };
}

const NUMBERED = /^(.*\.)(\d+)$/;

/** Combines consecutive layers into a range. */
function rangesOf(names: readonly string[]): readonly string[] {
  const ranges: { base: string; first: number; last: number; name: string }[] = [];
  for (const name of names) {
    const [, base = '', digits = ''] = NUMBERED.exec(name) ?? [];
    const open = ranges.at(-1);
    if (base !== '' && open?.base === base && Number(digits) === open.last + 1) open.last += 1;
    else ranges.push({ base, first: Number(digits), last: Number(digits), name });
  }
  return ranges.map(({ base, first, last, name }) => (first < last ? `${base}${first}–${last}` : name));
}
