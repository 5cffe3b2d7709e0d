import type { Origin, Quantity, Unit } from '../../spec/quantity';
import { isQuantityName } from '../../spec/names';
import type { MissingFile } from '../../spec/runSpec';
import { phrase } from '../../text/say';

/** No key states it: it is unknown or a default. A key that leaves the value open counts as an answer. */
export function yields(quantity: Quantity<unknown> | null): boolean {
  if (quantity === null) return true;
  const { origin } = quantity;
  if (origin.kind === 'unresolved') return origin.key === undefined;
  return origin.kind === 'default' || origin.kind === 'code';
}

/**
 * True for what a program does by itself: its default, what its code says, or what follows from keys that are not there
 * (`method: full`, as no key of LoRA is set).
 */
export function isAssumed({ origin }: Quantity<unknown>, isStated: (key: string) => boolean): boolean {
  if (origin.kind === 'derived') return !origin.from.some(from => isQuantityName(from) || isStated(from));
  return origin.kind === 'default' || origin.kind === 'code';
}

/** True for a key at or below the place where a file is mounted. */
export const isBelow = (key: string, mount: string): boolean => mount === '' || key.startsWith(`${mount}.`);

/** A missing file that might state one of the keys. */
export const gapAt = (
  files: readonly MissingFile[],
  keys: readonly string[],
  isOpen: boolean,
): MissingFile | undefined =>
  files.find(
    ({ mount, open }) => mount !== undefined && (open ?? !isOpen) && keys.some(key => isBelow(key, mount)),
  );

/**
 * A missing base that may state what is assumed. What is assumed as no key speaks of it may be said at any place. A default
 * of the framework's own file of this name holds: the base is that file, as far as anyone knows.
 */
export function gapOfBase(
  files: readonly MissingFile[],
  origin: Origin,
  asked: readonly string[],
): MissingFile | undefined {
  const source = origin.kind === 'default' ? origin.source : '';
  const own = files.filter(({ file }) => file === undefined || !source.includes(`/${file}.`));
  return gapAt(own, origin.kind === 'derived' ? [...asked, ''] : asked, false);
}

/** A quantity with its origin. */
export function answer<T>(value: T | null, origin: Origin, note?: string): Quantity<T> {
  return note === undefined ? { value, origin } : { value, origin, note };
}

/** The quantity in a unit, unless it has one. */
export function withUnit<T>(quantity: Quantity<T>, unit: Unit | null): Quantity<T> {
  return unit === null || quantity.unit !== undefined || quantity.value === null
    ? quantity
    : { ...quantity, unit };
}

/** Words of a config's path, and the program started with it. */
export function pathWords(path: string, program: string): string[] {
  const own = words(path);
  return program === '' ? own : [...own.slice(0, -1), ...words(program), ...own.slice(-1)];
}

/** Folders and name of a path in lower case, without extension. */
function words(path: string): string[] {
  return path
    .toLowerCase()
    .replace(/\.\w+$/, '')
    .split('/')
    .filter(part => part !== '');
}

/** Why a quantity is unknown that no key states; `isGuessed`: keys are read by their names alone. */
export function unsaid(key: string | undefined, title: string, isGuessed: boolean): string {
  if (isGuessed) return phrase`No key of this file says it by a name that most people’s configs have for it.`;
  if (key === undefined) return phrase`${title} configs do not say it.`;
  return phrase`${key} is not set, and ${title} has no default for it.`;
}
