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
  anyOn: condition('Keys of which one is true.'),
  off: condition('Keys that are all false, or absent.'),
  stated: condition('Keys that are there.'),
  absent: condition('Keys that are not there.'),
  is: condition('Keys that hold one of these words.', tableShape(texts)),
  isNot: condition('Keys that hold none of these words.', tableShape(texts)),
  above: condition('Keys that hold a number above this one.', tableShape({ kind: 'number' })),
  below: condition('Keys that hold a number below this one.', tableShape({ kind: 'number' })),
};

/** Conditions of a fact. */
export const conditions: Readonly<Record<string, Field>> = {
  ...keyConditions,
  differ: condition('Pairs of keys that hold different numbers.', pairs),
  notMultiple: condition('Pairs of keys of which the first is no multiple of the second.', pairs),
  equals: {
    shape: {
      kind: 'object',
      fields: Object.fromEntries(
        quantityNames.map(name => [name, { shape: { kind: 'value' }, text: `The value of ${name}.` }]),
      ),
    },
    text: 'Quantities that are known to have this value.',
  },
};

/** Conditions of a row. */
const rowConditions: Readonly<Record<string, Field>> = {
  ...keyConditions,
  no: condition('Keys that are there and false.'),
  anyStated: condition('Keys of which one is there.'),
  isNull: condition('Keys that are there with nothing.'),
  matches: condition('Keys whose text this regular expression finds something in.', tableShape(text())),
  lists: condition('Keys with a list of which this regular expression finds a word.', tableShape(text())),
  holds: condition('Keys that hold this very value.', tableShape({ kind: 'value' })),
  equals: condition(
    'Quantities, details and names that are one of these values.',
    tableShape({ kind: 'value' }),
  ),
  differs: condition('Those that are none of these values.', tableShape({ kind: 'value' })),
  like: condition('Those whose text this regular expression finds something in.', tableShape(text())),
  more: condition('Those that are above this number.', tableShape({ kind: 'number' })),
  less: condition('Those that are below this number.', tableShape({ kind: 'number' })),
  known: condition('Those that have a value.'),
  unknown: condition('Those that have none.'),
  since: condition('The first release: of the framework, or by library.', { kind: 'any' }),
  before: condition('The first release that no longer does so.', { kind: 'any' }),
  path: condition('A regular expression on the path of the config, in small letters.', text()),
  any: condition('Sets of conditions of which one holds.', { kind: 'any' }),
  not: condition('Conditions that do not all hold.', { kind: 'any' }),
};

const row: Readonly<Record<string, Field>> = {
  keys: {
    shape: texts,
    text: 'Keys that state it, as paths from the root: `train.batch_size`, `{data,train}.batch_size`. The first one that is there wins.',
  },
  of: { shape: text(), text: 'Another row that it follows from, where no key of its own says it.' },
  map: {
    shape: { kind: 'table', of: { kind: 'value' } },
    text: 'Words of the config, and what each stands for; words between slashes are a regular expression.',
  },
  formula: { shape: text(), text: 'Arithmetic on the number that the key holds, which is x: `x + 2`.' },
  scope: {
    shape: text('device', 'node', 'global'),
    text: 'Whose samples a number counts: those of one GPU, or, global, of all together.',
  },
  unit: { shape: text(...UNITS), text: 'What a number counts, where not what the quantity says.' },
  default: { shape: { kind: 'any' }, text: 'What the program takes where no key says it; null: none.' },
  always: { shape: { kind: 'any' }, text: 'What the program does whatever the config says; null: none.' },
  source: { shape: text(), text: 'Where that was read: a file of the program and a line.' },
  note: { shape: text(), text: 'What people should know of it; shown when the key is hovered.' },
  read: { shape: text(...rowKinds), text: 'How the value is read, where not as the row’s name says.' },
  oneOf: {
    shape: { kind: 'table', of: { kind: 'value' } },
    text: 'Words in any case, and what each stands for; any other word is an error.',
  },
  defaults: {
    shape: {
      kind: 'list',
      of: {
        kind: 'object',
        fields: {
          value: { shape: { kind: 'value' }, needed: true, text: 'What the program takes; null: none.' },
          since: { shape: text(), text: 'The first release that does so; without it: all older ones.' },
          library: { shape: text(), text: 'The library whose release that is, where not the framework’s.' },
          source: { shape: text(), text: 'Where that was read.' },
        },
      },
    },
    text: 'What the program takes where no key says it, by release, newest first.',
  },
  unknown: { shape: text(), text: 'Why no file tells it: a sentence.' },
  near: { shape: texts, text: 'Keys next to which a new key belongs, most wanted first.' },
  when: {
    shape: { kind: 'object', fields: rowConditions },
    text: 'What must hold, all of it; else the next row is asked.',
  },
  with: {
    shape: { kind: 'table', of: { kind: 'any' } },
    text: 'Names for what follows, each a row or the name of a quantity; texts have them in braces, `formula` without.',
  },
  value: {
    shape: { kind: 'any' },
    text: 'What holds where one of the keys is there: a value, a text with names in braces, or fields of settings, each a value or a row.',
  },
  derived: { shape: { kind: 'any' }, text: 'What follows from other quantities or keys, named in `from`.' },
  from: { shape: texts, text: 'Quantities and keys that it follows from.' },
  why: { shape: text(), text: 'How it follows: a phrase.' },
  rule: {
    shape: text(...Object.keys(sharedRules)),
    text: 'A rule that several dialects share, for these keys.',
  },
  part: { shape: text(), text: 'A key that names another file of the run, which answers.' },
  write: {
    shape: { kind: 'table', of: { kind: 'value' } },
    text: 'The program’s words for values, where they are not written as they are read.',
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
      key: { shape: texts, needed: true, text: 'The key: of several the one that is there, else the first.' },
      value: {
        shape: { kind: 'any' },
        text: 'What it is set to; without it what is asked for, in the words of `map`.',
      },
      near: { shape: texts, text: 'Keys next to which a new key belongs, most wanted first.' },
      when: { shape: { kind: 'object', fields: rowConditions }, text: 'What must hold for it to be set.' },
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
        text: 'Values that are written so: words, regular expressions between slashes, or fields of settings; all without it.',
      },
      same: { shape: text('true'), text: 'Only the value that the run has already.' },
      when: { shape: { kind: 'object', fields: rowConditions }, text: 'What must hold.' },
      with: { shape: { kind: 'table', of: { kind: 'any' } }, text: 'Names for what follows, as in rows.' },
      map: { shape: { kind: 'table', of: { kind: 'value' } }, text: 'The program’s words for values.' },
      formula: { shape: text(), text: 'Arithmetic on what is asked for, which is `to`: `to * gpus`.' },
      set: { shape: written, text: 'Keys that are set.' },
      refuse: { shape: text(), text: 'Why it is not written: a sentence.' },
      rule: { shape: text(...sharedWriterNames), text: 'A way of writing that several dialects share.' },
      keys: { shape: texts, text: 'The key that the rule writes.' },
    },
  },
};
