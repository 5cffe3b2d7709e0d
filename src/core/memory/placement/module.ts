/** Where a module lies: a GPU by its number, the host, or the disk. */
export type Device = number | 'cpu' | 'disk';

/** A module, or a tensor that a module holds itself, as accelerate counts it. */
export interface PlacedModule {
  /** Its path: `model.layers.3`; '' for the model. */
  readonly name: string;
  /** Parameters and buffers, those of its children included. A head that is tied to a table has none. */
  readonly bytes: number;
  /** Tensors of its own first, then its modules. */
  readonly children: readonly PlacedModule[];
  /** It is never split (`_no_split_modules`). */
  readonly whole: boolean;
  /** A tensor by itself: no module. */
  readonly tensor?: boolean;
  /** The module whose parameter it shares: they lie together. */
  readonly tiedTo?: string;
}

/** Memory that a device may be filled to, in the order in which devices are filled. */
export interface Room {
  readonly device: Device;
  readonly bytes: number;
}

/** A module with all that is in it, and where it goes. */
export interface Assigned {
  readonly module: PlacedModule;
  readonly device: Device;
}

/** What of a model lies on one device. */
export interface Placed {
  readonly device: Device;
  /** Its modules in order, layers that follow each other as one: `model.layers.0–15`. */
  readonly modules: readonly string[];
  readonly layers: number;
  /** Weights as the device holds them, and of adapters. */
  readonly bytes: number;
  readonly adapters: number;
  /** The head, or the table that it is tied to, lies here: here logits are computed. */
  readonly hasHead: boolean;
  /** Of what lies here the tensor that takes most. */
  readonly largest: number;
}

/** Where a model's modules lie, in the order in which devices are filled: GPUs, the host, the disk. */
export interface Placement {
  readonly devices: readonly Placed[];
  readonly layers: number;
  readonly bytes: number;
  readonly adapters: number;
}

/** It is not divided when room is looked for. */
export const isLayer = ({ children, whole }: PlacedModule): boolean => children.length === 0 || whole;

/** Every module that is not divided. */
export function layersOf(module: PlacedModule): readonly PlacedModule[] {
  return isLayer(module) ? [module] : module.children.filter(({ tensor }) => !tensor).flatMap(layersOf);
}

/** True for a module that lies in another, or is it. */
export const isWithin = (name: string, outer: string): boolean =>
  name === outer || name.startsWith(`${outer}.`);
