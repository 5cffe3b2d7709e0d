import { find, resolve } from '../../../yaml/path';
import type { YamlNode } from '../../../yaml/node';
import type { Layer } from '../compose';

/** An entry of a `defaults` list. */
export interface DefaultsEntry {
  /** Its position in the list. */
  readonly index: number;
  readonly isSelf: boolean;
  /** The group as written, `/model` from the root of all groups; '' for a config without a group. */
  readonly group: string;
  /** The chosen options: empty for null, `???` for one that the command line has to name. */
  readonly options: readonly string[];
  /** The part after the `@` of the group. */
  readonly package: string | null;
  readonly overrides: boolean;
  readonly optional: boolean;
}

/** Limit of entries per list; real lists have a dozen. */
const MOST_ENTRIES = 200;

const KEY = /^(?:(override|optional)\s+)?(?:(override|optional)\s+)?([^@\s]*)(?:@(\S+))?$/;

/** The `defaults` list of a config; empty if there is none. A mapping with that name is something else. */
export function defaultsOf({ yaml, document }: Layer): readonly DefaultsEntry[] {
  const found = find(yaml.documents[document]?.root ?? null, ['defaults']);
  const list = found && resolve(found.node);
  if (list?.kind !== 'sequence') return [];
  return list.items.slice(0, MOST_ENTRIES).flatMap((item, index) => entriesOf(item, index));
}

function entriesOf(item: YamlNode, index: number): readonly DefaultsEntry[] {
  const at = resolve(item);
  if (at?.kind === 'map') {
    return at.entries.flatMap(({ key, value }) => {
      const parts = KEY.exec(key);
      return parts ? [entry(index, parts, optionsOf(value))] : [];
    });
  }
  const [text] = optionsOf(item);
  if (text === undefined) return [];
  const parts = KEY.exec(text);
  const [, one, two, name = '', pkg] = parts ?? [];
  const named = [entry(index, ['', one, two, '', pkg], [name])];
  return name === '_self_' ? named.map(each => ({ ...each, isSelf: true })) : named;
}

function entry(
  index: number,
  [, one, two, group = '', pkg]: readonly (string | undefined)[],
  options: readonly string[],
): DefaultsEntry {
  const words = [one, two];
  return {
    index,
    isSelf: false,
    group,
    options: options.map(option => option.replace(/\.ya?ml$/, '')),
    package: pkg ?? null,
    overrides: words.includes('override'),
    optional: words.includes('optional'),
  };
}

function optionsOf(node: YamlNode): readonly string[] {
  const at = resolve(node);
  if (at?.kind === 'sequence') return at.items.flatMap(optionsOf);
  if (at?.kind !== 'scalar' || at.value === null) return [];
  return [String(at.value)];
}

const HEADER = /^[ \t]*#[ \t]*@package[ \t]+(\S+)/m;

/** `# @package x` in the comments at the start of a file; null if absent. */
export function packageHeader({ yaml }: Layer): string | null {
  const comments = /^(?:\s*(?:#[^\n]*)?\n|---\s*\n)*/.exec(yaml.text)?.[0] ?? '';
  return HEADER.exec(comments)?.[1] ?? null;
}

/** True if keys are at the root; AudioCraft writes it with more underscores. */
export const isGlobalPackage = (header: string | null): boolean =>
  header === '_global_' || header === '__global__';
