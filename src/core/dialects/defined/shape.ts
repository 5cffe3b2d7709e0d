import { ownOf } from '../../yaml/tables';
import { text, texts } from './fields';
import type { Field, Shape } from './fields';
import { detailRows, quantityRows } from './rows';
import { conditions, rowsNamed, writerShape } from './rowShape';
import { sharedTables } from './sharedRules';

const rule: Readonly<Record<string, Field>> = {
  id: { shape: text(), needed: true, text: 'Its name, in small letters with dashes; findings show it.' },
  severity: {
    shape: text('error', 'warning', 'information', 'hint'),
    text: 'How grave it is; a warning unless said.',
  },
  when: { shape: { kind: 'object', fields: conditions }, needed: true, text: 'What must hold, all of it.' },
  at: { shape: texts, needed: true, text: 'Keys that it is reported at, most wanted first.' },
  message: {
    shape: text(),
    needed: true,
    text: 'A full sentence: what, why, what to do. `{a.b}` is quoted as the config has it.',
  },
  set: {
    shape: {
      kind: 'object',
      fields: {
        key: { shape: text(), needed: true, text: 'The key that a quick fix sets.' },
        to: { shape: { kind: 'value' }, needed: true, text: 'What it is set to.' },
      },
    },
    text: 'A key that a quick fix may set.',
  },
};

const tables: Readonly<Record<string, Field>> = Object.fromEntries(
  Object.keys(sharedTables).map(name => [
    name,
    { shape: text(), text: 'The place of its keys, or the source.' },
  ]),
);

const signature: Readonly<Record<string, Field>> = {
  strong: { shape: texts, text: '+4 each: keys that hardly anyone else has. `a~^x` asks for a value, too.' },
  medium: { shape: texts, text: '+2 each.' },
  weak: { shape: texts, text: '+1 each: keys shared by many.' },
  against: { shape: texts, text: '−4 each: keys of other files that look alike.' },
  never: { shape: texts, text: 'Keys with which a file cannot be of this dialect.' },
  family: {
    shape: text(),
    text: 'The general dialect whose keys its files have, too: the family is decided first, then the member by what only it has.',
  },
  needs: { shape: texts, text: 'Keys of which one has to be there at all.' },
  mentions: {
    shape: text(),
    text: 'A regular expression between slashes that every file of the dialect matches somewhere.',
  },
  least: {
    shape: { kind: 'number' },
    text: 'The score from which a file is of this dialect; 4 unless said.',
  },
};

const launch: Readonly<Record<string, Field>> = {
  argv: {
    shape: texts,
    needed: true,
    text: 'The command, a list of words: `{config}`, `{folder}`, `{name}`, `{gpus}`, `{nodes}`, `{model}`, `{stage}` are filled in, others are asked for.',
  },
  tasks: { shape: texts, text: 'Tasks that are started so; all without it.' },
  keys: { shape: texts, text: 'Only configs that set one of these keys are started so; all without it.' },
  verb: { shape: text(), text: 'What it does, for people: `export`; else what the task is.' },
  resume: { shape: texts, text: 'The command that goes on from the last checkpoint.' },
  writes: { shape: texts, text: 'Keys that name the files and folders that a run writes.' },
  handsTo: { shape: text(), text: 'Who runs the job once the command has ended.' },
  source: { shape: text(), text: 'Where that was read.' },
};

const program: Readonly<Record<string, Field>> = {
  words: { shape: text(), text: 'A regular expression for the words of a command that start it.' },
  configs: { shape: texts, text: 'Flags of which each value is a config, the later laid over the earlier.' },
  ending: { shape: text(), text: 'What names of configs end with where they are written without.' },
  folder: { shape: texts, text: 'Flags that name the folder of the configs.' },
  refusesTwice: { shape: text('true', 'false'), text: 'A key must not stand in two of its configs.' },
  argv: { shape: text('true', 'false'), text: 'Its arguments are the config: no file is one.' },
  sections: { shape: texts, text: 'Keys whose flag may name a file with what stands below them.' },
  classes: { shape: texts, text: 'Those of them that are objects of a class.' },
  hints: {
    shape: text(),
    text: 'Words of a command that make flags of its family its own, as a regular expression.',
  },
  module: { shape: text(), text: 'A Python module: flags of a script that imports it are its own.' },
  flags: {
    shape: texts,
    text: 'Flags that only it has among its family; several in one entry: all of them.',
  },
  source: { shape: text(), text: 'Where that was read.' },
};

const datasets: Readonly<Record<string, Field>> = {
  path: { shape: text(), needed: true, text: 'The key that names a file, a folder or a name of the hub.' },
  in: { shape: text(), text: 'A list, or a section, whose entries have the keys.' },
  files: { shape: text(), text: 'The key that names files of it.' },
  template: { shape: text('none', 'alpaca', 'chat'), text: 'What rows are put into.' },
  templates: { shape: texts, text: 'Keys that name a chat template.' },
  ownTemplate: { shape: text(), text: 'The chat template that the program always has.' },
  columns: { shape: { kind: 'table', of: text() }, text: 'Keys that name columns.' },
};

/** The shape of a dialect file, built in or in `.headroom/dialects`. */
export const dialectShape: Extract<Shape, { kind: 'object' }> = {
  kind: 'object',
  fields: {
    id: {
      shape: text(),
      needed: true,
      text: 'Its name in outputs, in small letters with dashes. That of a dialect that comes with Headroom replaces it here; its rules still hold.',
    },
    title: { shape: text(), text: 'What people call it.' },
    recognise: {
      shape: { kind: 'object', fields: signature },
      needed: true,
      text: 'How its files are told by their keys.',
    },
    loader: {
      shape: text('pyyaml', 'omegaconf', 'hyperpyyaml', 'json'),
      text: 'Who reads the file; PyYAML unless said.',
    },
    sections: { shape: texts, text: 'Sections in which the keys may stand instead of the root.' },
    quantities: { shape: rowsNamed(quantityRows), needed: true, text: 'Where each quantity stands.' },
    details: { shape: rowsNamed(detailRows), text: 'What only the memory model asks for.' },
    like: {
      shape: { kind: 'object', fields: tables },
      text: 'Tables of rows that several dialects share: `lightningTrainer: trainer`, `trainingArguments`, `wholeModel`; with the place of their keys, or the source.',
    },
    writers: {
      shape: { kind: 'table', of: writerShape },
      text: 'How quantities are written that a row does not write by itself: one way, or a list of which the first that fits holds.',
    },
    datasets: {
      shape: { kind: 'several', of: { kind: 'object', fields: datasets } },
      text: 'Where the data of training are named; the first that names some.',
    },
    compose: {
      shape: { kind: 'any' },
      text: '`hydra`, or `keys` that name the files that a config lies on.',
    },
    classKeys: { shape: texts, text: 'Keys that name classes of a project’s own code.' },
    keysOf: {
      shape: texts,
      text: 'Config formats that come with Headroom whose keys these configs may have, too: `hf-trainer`.',
    },
    otherKeys: {
      shape: texts,
      text: 'Further keys of the program, as paths, in a list or with spaces between: they are completed, and a slip of one is reported.',
    },
    stages: {
      shape: {
        kind: 'object',
        fields: {
          folders: { shape: texts, needed: true, text: 'Folders beside the config with one stage a file.' },
          at: { shape: text(), needed: true, text: 'Where a stage’s keys appear in the config.' },
          marked: { shape: text(), needed: true, text: 'A key that every stage has.' },
          config: { shape: texts, needed: true, text: 'Keys that only the config has.' },
        },
      },
      text: 'Stages of a run, each in a file of its own.',
    },
    ownModel: {
      shape: {
        kind: 'object',
        fields: {
          config: {
            shape: { kind: 'table', of: { kind: 'any' } },
            needed: true,
            text: 'Its sizes by their names in a Hugging Face `config.json`: a value, or a row with `keys` and `default`.',
          },
          fromScratch: {
            shape: text('true', 'false'),
            text: 'It starts with random weights: plans may change its sizes.',
          },
        },
      },
      text: 'A model that the program builds itself from the config’s keys.',
    },
    help: {
      shape: {
        kind: 'table',
        of: {
          kind: 'object',
          fields: {
            text: { shape: text(), needed: true, text: 'What the key does, to memory above all.' },
            values: { shape: texts, text: 'All values it may have, where they are few.' },
            default: { shape: { kind: 'value' }, text: 'What holds without it.' },
          },
        },
      },
      text: 'What is shown when a key is hovered, and its values when it is typed.',
    },
    launch: {
      shape: { kind: 'several', of: { kind: 'object', fields: launch } },
      text: 'How the program is started with a config; several ways as a list, the most usual first.',
    },
    role: { shape: text('run', 'part'), text: 'part: other configs name its files; run unless said.' },
    framework: {
      shape: {
        kind: 'object',
        fields: {
          name: { shape: text(), needed: true, text: 'The framework’s name.' },
          version: { shape: text(), needed: true, text: 'The release that this file describes.' },
          libraries: {
            shape: { kind: 'table', of: text() },
            text: 'Releases of the libraries that decide with it.',
          },
        },
      },
      text: 'The release that this file describes.',
    },
    releases: {
      shape: {
        kind: 'list',
        of: {
          kind: 'object',
          fields: {
            keys: { shape: texts, needed: true, text: 'Keys that newer releases do not have.' },
            upTo: {
              shape: { kind: 'table', of: text() },
              needed: true,
              text: 'The last releases that have them, by library.',
            },
            source: { shape: text(), text: 'Where that was read.' },
          },
        },
      },
      text: 'Keys that tell for which releases a config was written.',
    },
    unstated: {
      shape: text('none', 'unknown'),
      text: 'What a quantity without a row is: none unless said (nothing is sharded or quantized), or unknown.',
    },
    byRole: {
      shape: text('true', 'false', 'unread'),
      text: 'Projects have keys of their own: what no row finds is looked for by name and place; unread: in keys that no row has.',
    },
    references: {
      shape: {
        kind: 'list',
        of: {
          kind: 'object',
          fields: {
            key: { shape: text(), needed: true, text: 'The key that names another file.' },
            dialect: { shape: text(), needed: true, text: 'The dialect of that file.' },
            presets: {
              shape: { kind: 'table', of: { kind: 'any' } },
              text: 'What the framework ships under a name, where no such file is there.',
            },
          },
        },
      },
      text: 'Keys that name other files of the run.',
    },
    program: { shape: { kind: 'object', fields: program }, text: 'How the program takes its configs.' },
    logs: {
      shape: { kind: 'list', of: { kind: 'any' } },
      text: 'Lines that the program prints: `pattern` (or `start` and `parts`), `fields`, an `example`, and its `source`; or the name of a set of lines.',
    },
    detailKeys: {
      shape: {
        kind: 'table',
        of: {
          kind: 'object',
          fields: {
            keys: { shape: texts, needed: true, text: 'Keys that state it, the one that wins first.' },
            near: { shape: texts, text: 'Keys next to which a new key belongs, most wanted first.' },
            write: {
              shape: { kind: 'table', of: { kind: 'value' } },
              text: 'The program’s words for values.',
            },
          },
        },
      },
      text: 'Keys that plans may set for a detail.',
    },
    rules: {
      shape: { kind: 'list', of: { kind: 'object', fields: rule } },
      text: 'What is reported about a config.',
    },
  },
};

const evidence: Readonly<Record<string, Field>> = {
  modules: { shape: texts, text: 'Modules with the project’s classes.' },
  classKeys: { shape: texts, text: 'Keys that name them, asked before those of the general dialect.' },
  keys: { shape: texts, text: 'Keys that only the project’s configs have.' },
};

const { id, recognise, quantities, details, writers, help } = dialectShape.fields as Record<string, Field>;

/** The shape of a pack file, which extends a general dialect for one project's configs. */
export const packShape: Shape = {
  kind: 'object',
  fields: Object.fromEntries(
    Object.entries({
      id,
      project: { shape: text(), needed: true, text: 'The repository, and the commit that was read.' },
      extends: { shape: texts, needed: true, text: 'General dialects that it extends.' },
      evidence: {
        shape: { kind: 'object', fields: evidence },
        needed: true,
        text: 'How the project’s configs are told from others: one has to hold.',
      },
      task: { shape: text(), text: 'What the project’s classes are trained for.' },
      recognise: recognise && { ...recognise, needed: undefined },
      quantities: quantities && { ...quantities, needed: undefined },
      details,
      writers,
      help,
    }),
  ) as Readonly<Record<string, Field>>,
};

/** The shape at a path of a dialect file; null if keys there are not defined. */
export function shapeAt(path: readonly (string | number)[]): Shape | null {
  return path.reduce<Shape | null>((shape, step) => shape && childShape(shape, step), dialectShape);
}

function childShape(shape: Shape, step: string | number): Shape | null {
  if (shape.kind === 'list') return typeof step === 'number' ? shape.of : null;
  if (shape.kind === 'several') return typeof step === 'number' ? shape.of : childShape(shape.of, step);
  if (shape.kind === 'table') return shape.of;
  return shape.kind === 'object' ? (shape.fields[String(step)]?.shape ?? null) : null;
}

/** The description of the key at a path; null if it is not defined. */
export function fieldAt(path: readonly (string | number)[]): Field | null {
  const shape = shapeAt(path.slice(0, -1));
  const object = shape?.kind === 'several' ? shape.of : shape;
  return object?.kind === 'object' ? (ownOf(object.fields, String(path.at(-1))) ?? null) : null;
}
