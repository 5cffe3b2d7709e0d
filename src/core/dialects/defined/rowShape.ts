import { quantityNames } from '../../spec/names';
import { pairs, text, texts } from './fields';
import type { Field, Shape } from './fields';
import { rowKinds } from './rows';
import { sharedRules } from './sharedRules';
import { sharedWriterNames } from './sharedWriters';
import { meanings } from './words';

const UNITS = [
  'samples',
  'sentences',
  'graphs',
  'tokens',
  'frames',
  'mel frames',
  'waveform samples',
  'seconds of audio',
  'bins (numel)',
  'pixels',
] as const;

const condition = (about: string, shape: Shape = texts): Field => ({ shape, text: about });
const tableShape = (of: Shape): Shape => ({ kind: 'table', of });

const keyConditions: Readonly<Record<string, Field>> = {
  on: condition('Keys that are all true.'),
  anyOn: condition('Keys; one of them is true.'),
  off: condition('Keys that are all false or absent.'),
  stated: condition('Keys that are present.'),
  absent: condition('Keys that are absent.'),
  is: condition('Keys with one of these words.', tableShape(texts)),
  isNot: condition('Keys with none of these words.', tableShape(texts)),
  above: condition('Keys with a number above this one.', tableShape({ kind: 'number' })),
  below: condition('Keys with a number below this one.', tableShape({ kind: 'number' })),
};

/** Conditions of a fact. */
export const conditions: Readonly<Record<string, Field>> = {
  ...keyConditions,
  differ: condition('Pairs of keys with different numbers.', pairs),
  notMultiple: condition('Pairs of keys; the first is not a multiple of the second.', pairs),
  equals: {
    shape: {
      kind: 'object',
      fields: Object.fromEntries(
        quantityNames.map(name => [name, { shape: { kind: 'value' }, text: `The value of ${name}.` }]),
      ),
    },
    text: 'Quantities with this known value.',
  },
};

/** Conditions of a row. */
export const rowConditions: Readonly<Record<string, Field>> = {
  ...keyConditions,
  no: condition('Keys that are present and false.'),
  anyStated: condition('Keys; one of them is present.'),
  isNull: condition('Keys that are present and null.'),
  matches: condition('Keys whose text matches this regular expression.', tableShape(text())),
  lists: condition('Keys with a list; one of its words matches this regular expression.', tableShape(text())),
  holds: condition('Keys with exactly this value.', tableShape({ kind: 'value' })),
  equals: condition('Quantities, details and names with one of these values.', tableShape({ kind: 'value' })),
  differs: condition(
    'Quantities, details and names with none of these values.',
    tableShape({ kind: 'value' }),
  ),
  like: condition(
    'Quantities, details and names whose text matches this regular expression.',
    tableShape(text()),
  ),
  more: condition('Quantities, details and names above this number.', tableShape({ kind: 'number' })),
  less: condition('Quantities, details and names below this number.', tableShape({ kind: 'number' })),
  known: condition('Quantities, details and names with a known value.'),
  unknown: condition('Quantities, details and names without a known value.'),
  since: condition('The first release: of the framework, or by library.', { kind: 'any' }),
  before: condition('The first release to which it no longer applies.', { kind: 'any' }),
  path: condition('A regular expression for the config’s path in lowercase.', text()),
  any: condition('Sets of conditions; one of them holds.', { kind: 'any' }),
  not: condition('Conditions; at least one fails.', { kind: 'any' }),
};

const row: Readonly<Record<string, Field>> = {
  keys: {
    shape: texts,
    text: 'Keys that state it, as paths from the root: `train.batch_size`, `{data,train}.batch_size`. The first one that is present wins.',
  },
  of: { shape: text(), text: 'Another row that it follows from if none of its own keys is set.' },
  map: {
    shape: { kind: 'table', of: { kind: 'value' } },
    text: 'Words of the config and their meanings; words between slashes are a regular expression.',
  },
  formula: { shape: text(), text: 'Arithmetic on the key’s number x: `x + 2`.' },
  scope: {
    shape: text('device', 'node', 'global'),
    text: 'What a number counts: samples of one GPU, of one node, or of all GPUs together (global).',
  },
  unit: { shape: text(...UNITS), text: 'The unit of the number, if it differs from the quantity’s.' },
  default: { shape: { kind: 'any' }, text: 'The program’s default if no key states it; null: none.' },
  always: { shape: { kind: 'any' }, text: 'The value whatever the config says; null: none.' },
  source: { shape: text(), text: 'The source: a file of the program and a line.' },
  note: { shape: text(), text: 'A note for users, shown on hover of the key.' },
  read: { shape: text(...rowKinds), text: 'How to read the value, if not as the row’s name implies.' },
  oneOf: {
    shape: { kind: 'table', of: { kind: 'value' } },
    text: 'Words (case-insensitive) and their meanings; any other word is an error.',
  },
  defaults: {
    shape: {
      kind: 'list',
      of: {
        kind: 'object',
        fields: {
          value: { shape: { kind: 'value' }, needed: true, text: 'The program’s default; null: none.' },
          since: {
            shape: text(),
            text: 'The first release with this default; without it: all older releases.',
          },
          library: { shape: text(), text: 'The library of the release, if not the framework.' },
          source: { shape: text(), text: 'The source of this fact.' },
        },
      },
    },
    text: 'The program’s defaults by release, newest first.',
  },
  unknown: { shape: text(), text: 'Why no file states it: a sentence.' },
  near: { shape: texts, text: 'Neighbors for a new key, in order of preference.' },
  when: {
    shape: { kind: 'object', fields: rowConditions },
    text: 'Conditions that must all hold; otherwise the next row is tried.',
  },
  with: {
    shape: { kind: 'table', of: { kind: 'any' } },
    text: 'Names for use in this row, each a row or the name of a quantity. Write them in braces in texts, and without braces in `formula`.',
  },
  value: {
    shape: { kind: 'any' },
    text: 'The value if one of the keys is present: a value, a text with names in braces, or fields of settings, each a value or a row.',
  },
  derived: {
    shape: { kind: 'any' },
    text: 'The value that follows from other quantities or keys, which `from` names.',
  },
  from: { shape: texts, text: 'Quantities and keys that it follows from.' },
  why: { shape: text(), text: 'The reason, as a phrase.' },
  rule: {
    shape: text(...Object.keys(sharedRules)),
    text: 'A rule that several dialects share, for these keys.',
  },
  part: { shape: text(), text: 'A key that names another file of the run, which states it.' },
  write: {
    shape: { kind: 'table', of: { kind: 'value' } },
    text: 'The program’s words for values that it writes differently than it reads.',
  },
};

/** Rows by name: each is one row, or a list of which the first with an answer wins. */
export const rowsNamed = (
  names: Readonly<Record<string, { readonly kind: string; readonly text: string }>>,
): Shape => ({
  kind: 'object',
  fields: Object.fromEntries(
    Object.entries(names).map(([name, { kind, text: about }]) => [
      name,
      { shape: rowShape(kind), text: about },
    ]),
  ),
});

/** For a quantity with few values, the shape of its default lists them. */
function rowShape(kind: string): Shape {
  const known = rowShapes.get(kind) ?? freshRowShape(kind);
  rowShapes.set(kind, known);
  return known;
}

const rowShapes = new Map<string, Shape>();
const plainRow: Shape = { kind: 'several', of: { kind: 'object', fields: row } };

function freshRowShape(kind: string): Shape {
  const few = meanings[kind as keyof typeof meanings];
  if (!few || kind === 'flag') return plainRow;
  const value: Shape = { kind: 'text', oneOf: [...few, 'null'] };
  const valueField = (name: 'default' | 'always'): Field => ({ shape: value, text: row[name]?.text ?? '' });
  const fields = { ...row, default: valueField('default'), always: valueField('always') };
  return { kind: 'several', of: { kind: 'object', fields } };
}

const written: Shape = {
  kind: 'several',
  of: {
    kind: 'object',
    fields: {
      key: {
        shape: texts,
        needed: true,
        text: 'The key: of several, the one that is present, otherwise the first.',
      },
      value: {
        shape: { kind: 'any' },
        text: 'The new value; default: the requested one in the words of `map`.',
      },
      near: { shape: texts, text: 'Neighbors for a new key, in order of preference.' },
      when: { shape: { kind: 'object', fields: rowConditions }, text: 'Conditions under which it is set.' },
    },
  },
};

/** How a quantity is written. */
export const writerShape: Shape = {
  kind: 'several',
  of: {
    kind: 'object',
    fields: {
      to: {
        shape: { kind: 'any' },
        text: 'Values that this way applies to: words, regular expressions between slashes, or fields of settings; default: all.',
      },
      same: { shape: text('true'), text: 'Applies only to the run’s current value.' },
      when: { shape: { kind: 'object', fields: rowConditions }, text: 'Conditions that must all hold.' },
      with: {
        shape: { kind: 'table', of: { kind: 'any' } },
        text: 'Names for use in this entry, as in rows.',
      },
      map: { shape: { kind: 'table', of: { kind: 'value' } }, text: 'The program’s words for values.' },
      formula: { shape: text(), text: 'Arithmetic on the requested value `to`: `to * gpus`.' },
      set: { shape: written, text: 'Keys to set.' },
      refuse: { shape: text(), text: 'Why it cannot be written: a sentence.' },
      rule: { shape: text(...sharedWriterNames), text: 'A way of writing that several dialects share.' },
      keys: { shape: texts, text: 'The key that the rule writes.' },
    },
  },
};
