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

/** It is not divided when room is looked for. */
export const isLayer = ({ children, whole }: PlacedModule): boolean => children.length === 0 || whole;

/** Every module that is not divided. */
export function layersOf(module: PlacedModule): readonly PlacedModule[] {
  return isLayer(module) ? [module] : module.children.filter(({ tensor }) => !tensor).flatMap(layersOf);
}

/** True for a module that lies in another, or is it. */
export const isWithin = (name: string, outer: string): boolean =>
  name === outer || name.startsWith(`${outer}.`);
