import { basename, dirname, foldersAbove } from '../text/paths';
import type { Span } from '../text/span';
import type { ScalarValue } from '../yaml/node';
import type { Argument, FieldValue, Value } from './value';
import { scalar } from './values';

/** What a method of a known text, path or dictionary returns; null: not known. */
export function methodOf(on: Value, name: string, args: readonly Argument[], span: Span): Value | null {
  if (on.kind === 'fields') return ofFields(on, name, args, span);
  // `yaml.safe_load(file.read())`
  if (on.kind === 'call' && on.call.name === 'open' && name === 'read') return { ...on, span };
  return on.kind === 'scalar' && typeof on.value === 'string' ? ofText(on.value, name, args, span) : null;
}

function ofFields(
  on: Extract<Value, { kind: 'fields' }>,
  name: string,
  args: readonly Argument[],
  span: Span,
): Value | null {
  if (name === 'copy' || name === 'clone') return { ...on, span };
  const items = Object.hasOwn(ITEMS, name) ? ITEMS[name]?.(on.fields, span) : undefined;
  if (items) return { kind: 'items', span, items };
  if (name !== 'get' && name !== 'pop') return null;
  const key = textOf(args[0]);
  if (key === null) return null;
  const field = on.fields.findLast(one => one.key === key);
  if (field) return { ...field.value, span };
  const byDefault = args[1]?.value;
  return byDefault ? { ...byDefault, span } : name === 'get' ? scalar(span, null) : null;
}

/** What a loop goes through. */
const ITEMS: Readonly<Record<string, (fields: readonly FieldValue[], span: Span) => readonly Value[]>> = {
  keys: (fields, span) => fields.map(({ key }) => scalar(span, key)),
  values: fields => fields.map(({ value }) => value),
  items: (fields, span) =>
    fields.map(({ key, value }) => ({ kind: 'items', span, items: [scalar(span, key), value] })),
};

const SAME_PATH: ReadonlySet<string> = new Set(['resolve', 'absolute', 'expanduser', 'as_posix']);
const OPENS: ReadonlySet<string> = new Set(['open', 'read_text']);

const TEXTS: Readonly<Record<string, (text: string) => ScalarValue>> = {
  lower: text => text.toLowerCase(),
  upper: text => text.toUpperCase(),
  strip: text => text.trim(),
};

const TESTS: Readonly<Record<string, ((text: string, end: string) => boolean) | undefined>> = {
  startswith: (text, end) => text.startsWith(end),
  endswith: (text, end) => text.endsWith(end),
};

function ofText(text: string, name: string, args: readonly Argument[], span: Span): Value | null {
  if (SAME_PATH.has(name)) return scalar(span, text);
  if (OPENS.has(name)) return openedFile(text, span);
  if (name === 'split') {
    const by = textOf(args[0]);
    const parts = by === null || by === '' ? null : text.split(by);
    return parts && { kind: 'items', span, items: parts.slice(0, 100).map(part => scalar(span, part)) };
  }
  const tested = TESTS[name];
  const answer = tested && endsOf(args)?.some(end => tested(text, end));
  if (answer !== undefined) return scalar(span, answer);
  const own = Object.hasOwn(TEXTS, name) && args.length === 0 ? TEXTS[name]?.(text) : undefined;
  return own === undefined ? null : scalar(span, own);
}

/** `Path(…).open()` is `open(…)`. */
function openedFile(path: string, span: Span): Value {
  const arg: Argument = { name: null, position: 0, keySpan: span, value: scalar(span, path), isOwn: false };
  const call = {
    name: 'open',
    on: null,
    span,
    nameSpan: span,
    list: span,
    args: [arg],
    open: null,
    derived: null,
  };
  return { kind: 'call', span, call, part: 0 };
}

/** Folders above a path that a program names. */
const MOST_FOLDERS = 8;

/** An attribute of a path; null: it has none of this name. */
export function pathPart(of: Value, name: string, span: Span): Value | null {
  if (of.kind !== 'scalar' || typeof of.value !== 'string') return null;
  if (name === 'parent') return scalar(span, dirname(of.value));
  if (name === 'parents') {
    const above = foldersAbove(of.value, MOST_FOLDERS);
    return { kind: 'items', span, items: above.map(folder => scalar(span, folder)) };
  }
  if (name === 'suffix') return scalar(span, /\.\w{1,20}$/.exec(of.value)?.[0] ?? '');
  return name === 'name' ? scalar(span, basename(of.value)) : null;
}

/** One text, or a tuple of them; null: not all are known. */
function endsOf([first]: readonly Argument[]): readonly string[] | null {
  const all = first?.value.kind === 'items' ? first.value.items : first ? [first.value] : [];
  const texts = all.flatMap(one =>
    one.kind === 'scalar' && typeof one.value === 'string' ? [one.value] : [],
  );
  return texts.length > 0 && texts.length === all.length ? texts : null;
}

const textOf = (arg: Argument | undefined): string | null =>
  arg?.value.kind === 'scalar' && typeof arg.value.value === 'string' ? arg.value.value : null;
