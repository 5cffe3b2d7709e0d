import type { NetworkArgument, NetworkArguments } from '../models/network';
import { Dictionary, Instance } from './values';
import type { Args, Klass, Scope, Value } from './values';

/** Steps that cut or scale images, by torchvision and Albumentations; what trains is cropped at random. */
const SIZING: readonly RegExp[] = [
  /(?:^|\.)(?:RandomResizedCrop|RandomCrop)$/,
  /(?:^|\.)CenterCrop$/,
  /(?:^|\.)(?:Resize|LongestMaxSize)$/,
];

/** What a program says of its samples where it loads and transforms them. */
export class SeenSamples {
  /** Sides of an image, height first; null: no transform says them. */
  sides: readonly number[] | null = null;
  /** Names of the classes that load data: `torchvision.datasets.CIFAR10`. */
  readonly data: string[] = [];
  private rank = SIZING.length;

  /** Notes a call of a library. */
  note(path: string, args: Args): void {
    if (/(?:^|\.)datasets\.\w+$/.test(path)) this.data.push(path);
    const rank = SIZING.findIndex(one => one.test(path));
    if (rank < 0 || rank >= this.rank) return;
    const sides = sidesOf(args);
    if (sides === null) return;
    this.sides = sides;
    this.rank = rank;
  }
}

function sidesOf({ list, named }: Args): readonly number[] | null {
  const apart = [named.get('height') ?? list[0], named.get('width') ?? list[1]];
  const first = named.get('size') ?? named.get('max_size') ?? list[0];
  if (typeof first === 'number' && !(named.has('width') || isSide(list[1]))) return pair([first, first]);
  return pair(Array.isArray(first) ? first : apart);
}

const isSide = (value: Value | undefined): value is number => typeof value === 'number' && value >= 8;

const pair = (sides: readonly (Value | undefined)[]): readonly number[] | null => {
  const known = sides.filter(isSide);
  return known.length === sides.length && known.length === 2 ? known : null;
};

/** What a program assigns to its names: settings of its own, its options, fields of its settings objects. */
export function namesIn(scope: Scope): NetworkArguments {
  return Object.fromEntries(
    [...scope.names].flatMap(([name, value]) => {
      const plain = plainOf(value) ?? fieldsOf(value);
      return plain === null || name.startsWith('__') ? [] : [[name, plain]];
    }),
  );
}

const SETTINGS = /conf|cfg|arg|param|option|setting/i;

/** An object that holds settings: of a dataclass, or of a class that is called like one. */
export const isSettings = (of: Klass): boolean => of.isDataclass || SETTINGS.test(of.name);

export function fieldsOf(value: Value): NetworkArguments | null {
  const fields =
    value instanceof Instance && (value.of === null || isSettings(value.of))
      ? [...(value.of?.attributes ?? []), ...value.attributes]
      : value instanceof Dictionary
        ? value.entries
        : [];
  const found = [...fields].flatMap(([name, one]) => {
    const plain = plainOf(one);
    return plain === null || typeof name !== 'string' ? [] : [[name, plain] as const];
  });
  return found.length > 0 ? Object.fromEntries(found) : null;
}

function plainOf(value: Value): NetworkArgument {
  if (typeof value === 'number' || typeof value === 'string') return value;
  if (!Array.isArray(value)) return null;
  const numbers = value.filter(one => typeof one === 'number');
  return numbers.length === value.length && numbers.length > 0 ? numbers : null;
}
