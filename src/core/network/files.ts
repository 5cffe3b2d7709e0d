import { basename, dirname, foldersAbove, join } from '../text/paths';
import { Instance, Native, wordOf } from './values';
import type { Args, Value } from './values';

const MOST_PARENTS = 8;

/** Under this name, an opened file has its path. */
const PATH = '#path';

/** `open(path)`: a file whose text a loader reads. */
export function openedFile(path: Value | undefined): Value {
  const file = new Instance(null);
  file.attributes.set(PATH, path ?? null);
  file.attributes.set('read', new Native(() => file));
  return file;
}

export const isOpened = (value: Value): value is Instance =>
  value instanceof Instance && value.attributes.has(PATH);

/** The path of an opened file, or a text that is one; null: neither. */
export function pathOf(value: Value): string | null {
  const path = isOpened(value) ? value.attributes.get(PATH) : value;
  return typeof path === 'string' ? path : null;
}

/** Functions that make paths; a path is a text here. Undefined: none of this name. */
export function pathCall(path: string, { list }: Args): Value | undefined {
  if (/^(?:pathlib\.)?(?:Pure)?(?:Posix)?Path$|^os\.path\.join$/.test(path)) {
    const parts = list.filter(one => typeof one === 'string');
    return parts.length === list.length && parts.length > 0
      ? parts.reduce((all, part) => join(all, part))
      : undefined;
  }
  const [first] = list;
  if (typeof first !== 'string') return undefined;
  if (path === 'os.path.dirname') return dirname(first);
  if (path === 'os.path.basename') return basename(first);
  return /^os\.path\.(?:abspath|realpath|normpath|expanduser)$/.test(path) ? first : undefined;
}

/** Attributes of a path; undefined: none of this name. */
export function pathAttribute(of: string, name: string): Value | undefined {
  switch (name) {
    case 'resolve':
    case 'absolute':
    case 'expanduser':
    case 'as_posix':
      return new Native(() => of);
    case 'parent':
      return dirname(of);
    case 'parents':
      return [...foldersAbove(of, MOST_PARENTS)];
    case 'joinpath':
      return new Native(({ list }) => list.reduce<string>((all, part) => join(all, wordOf(part)), of));
    case 'open':
    case 'read_text':
      return new Native(() => openedFile(of));
    default:
      return undefined;
  }
}
