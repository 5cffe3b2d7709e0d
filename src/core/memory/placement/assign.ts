import { isLayer, isWithin, layersOf } from './module';
import type { Assigned, Device, PlacedModule, Room } from './module';

/** The largest of the layers that are not placed yet, and their names. */
interface Largest {
  readonly bytes: number;
  readonly names: readonly string[];
}

function largestOf(modules: readonly PlacedModule[]): Largest {
  const layers = modules.filter(({ tensor }) => !tensor).flatMap(layersOf);
  const bytes = layers.reduce((most, layer) => Math.max(most, layer.bytes), 0);
  return { bytes, names: layers.filter(layer => layer.bytes === bytes).map(({ name }) => name) };
}

/**
 * Assigns modules: fills devices one after another; a module that does not fit is split, or starts the next device.
 * The first GPU and the host reserve room for the largest remaining layer, because offloaded layers run there. The
 * rest goes to the disk (transformers 5.23, integrations/accelerate.py, infer_auto_device_map; accelerate 1.15,
 * utils/modeling.py, does the same).
 */
export function assigned(root: PlacedModule, rooms: readonly Room[]): readonly Assigned[] {
  return new Assignment(root, rooms).run();
}

class Assignment {
  private readonly placed: Assigned[] = [];
  private readonly rooms: readonly Room[];
  private readonly main: ReadonlySet<Device>;
  private waiting: PlacedModule[];
  private largest: Largest;
  private current = 0;
  private used = 0;

  constructor(
    private readonly root: PlacedModule,
    rooms: readonly Room[],
  ) {
    const disk = rooms.some(({ device }) => device === 'disk');
    this.rooms = disk ? rooms : [...rooms, { device: 'disk', bytes: Infinity }];
    const first = rooms.find(({ device }) => typeof device === 'number');
    this.main = new Set<Device>(first ? [first.device, 'cpu'] : ['cpu']);
    this.waiting = [...root.children];
    this.largest = largestOf(this.waiting);
  }

  run(): readonly Assigned[] {
    for (let module = this.waiting.shift(); module; module = this.waiting.shift()) this.treat(module);
    return this.placed;
  }

  private treat(module: PlacedModule): void {
    const names = this.largest.names.filter(name => !isWithin(name, module.name));
    this.largest = names.length > 0 ? { ...this.largest, names } : largestOf(this.waiting);
    const { device, bytes } = this.rooms[this.current] ?? { device: 'disk' as const, bytes: Infinity };
    const kept = this.main.has(device) ? this.largest.bytes : 0;
    if (device === 'disk' || this.used + module.bytes <= bytes - kept) {
      this.used += module.bytes;
      this.place(module, device);
    } else if (isLayer(module)) {
      this.current += 1;
      this.used = 0;
      this.waiting.unshift(module);
    } else {
      this.waiting.unshift(...module.children);
      this.largest = largestOf(this.waiting);
    }
  }

  /** Modules with a shared parameter go to the same device. */
  private place(module: PlacedModule, device: Device): void {
    this.placed.push({ module, device });
    if (module === this.root) return;
    const [along] = this.waiting.filter(
      ({ tiedTo }) => tiedTo !== undefined && isWithin(tiedTo, module.name),
    );
    if (!along) return;
    this.waiting.splice(this.waiting.indexOf(along), 1);
    this.placed.push({ module: along, device });
  }
}
