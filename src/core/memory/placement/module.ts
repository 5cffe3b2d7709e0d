/** The location of a module: a GPU by number, the host, or the disk. */
export type Device = number | 'cpu' | 'disk';

/** A module, or a tensor directly in a module, as accelerate counts them. */
export interface PlacedModule {
  /** Its path: `model.layers.3`; '' for the whole model. */
  readonly name: string;
  /** Bytes of parameters and buffers, including children. 0 for a head that is tied to a table. */
  readonly bytes: number;
  /** Its own tensors first, then its modules. */
  readonly children: readonly PlacedModule[];
  /** It is never split (`_no_split_modules`). */
  readonly whole: boolean;
  /** A tensor, not a module. */
  readonly tensor?: boolean;
  /** The module whose parameter it shares: they are on the same device. */
  readonly tiedTo?: string;
}

/** The memory limit of a device, in the order in which devices are filled. */
export interface Room {
  readonly device: Device;
  readonly bytes: number;
}

/** A module with all its content, and its device. */
export interface Assigned {
  readonly module: PlacedModule;
  readonly device: Device;
}

/** The part of a model on one device. */
export interface Placed {
  readonly device: Device;
  /** Its modules in order, with consecutive layers as a range: `model.layers.0–15`. */
  readonly modules: readonly string[];
  readonly layers: number;
  /** Bytes of weights as held on the device, including adapters. */
  readonly bytes: number;
  readonly adapters: number;
  /** The head, or the table that it is tied to, is here, so logits are computed here. */
  readonly hasHead: boolean;
  /** The largest tensor here. */
  readonly largest: number;
}

/** Placement of a model's modules, in the order in which devices are filled: GPUs, the host, the disk. */
export interface Placement {
  readonly devices: readonly Placed[];
  readonly layers: number;
  readonly bytes: number;
  readonly adapters: number;
}

/** True if it is not split. */
export const isLayer = ({ children, whole }: PlacedModule): boolean => children.length === 0 || whole;

/** All modules that are not split. */
export function layersOf(module: PlacedModule): readonly PlacedModule[] {
  return isLayer(module) ? [module] : module.children.filter(({ tensor }) => !tensor).flatMap(layersOf);
}

/** True if a module is inside another, or is the same. */
export const isWithin = (name: string, outer: string): boolean =>
  name === outer || name.startsWith(`${outer}.`);
