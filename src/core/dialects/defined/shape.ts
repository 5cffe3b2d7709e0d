import { ownOf } from '../../yaml/tables';
import { callShape } from './callShape';
import { text, texts } from './fields';
import type { Field, Shape } from './fields';
import { detailRows, quantityRows } from './rows';
import { conditions, rowConditions, rowsNamed, writerShape } from './rowShape';
import { sharedTables } from './sharedRules';

const rule: Readonly<Record<string, Field>> = {
  id: { shape: text(), needed: true, text: 'Its name, in small letters with dashes; findings show it.' },
  severity: {
    shape: text('error', 'warning', 'information', 'hint'),
    text: 'The severity; default: warning.',
  },
  when: {
    shape: { kind: 'object', fields: conditions },
    needed: true,
    text: 'Conditions that must all hold.',
  },
  at: { shape: texts, needed: true, text: 'Keys that it is reported at, in order of preference.' },
  message: {
    shape: text(),
    needed: true,
    text: 'A full sentence: what, why, what to do. `{a.b}` is replaced by the key and its value.',
  },
  set: {
    shape: {
      kind: 'object',
      fields: {
        key: { shape: text(), needed: true, text: 'The key that a quick fix sets.' },
        to: { shape: { kind: 'value' }, needed: true, text: 'The new value.' },
      },
    },
    text: 'A key that a quick fix may set.',
  },
};

const tables: Readonly<Record<string, Field>> = Object.fromEntries(
  Object.keys(sharedTables).map(name => [
    name,
    { shape: text(), text: 'The section of its keys, or the source.' },
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
    text: 'The minimum score for a file of this dialect; default: 4.',
  },
};

const launch: Readonly<Record<string, Field>> = {
  argv: {
    shape: texts,
    needed: true,
    text: 'The command as a list of words. `{config}`, `{folder}`, `{name}`, `{gpus}`, `{nodes}`, `{model}` and `{stage}` are replaced; you are asked for others.',
  },
  tasks: { shape: texts, text: 'Tasks that the command starts; default: all.' },
  keys: {
    shape: texts,
    text: 'The command only applies to configs with one of these keys; default: to all.',
  },
  verb: { shape: text(), text: 'The action for display: `export`; default: the task.' },
  resume: { shape: texts, text: 'The command that resumes from the last checkpoint.' },
  writes: { shape: texts, text: 'Keys that name the files and folders that a run writes.' },
  also: { shape: texts, text: 'Other commands that run the same config: `litgpt finetune_lora`.' },
  handsTo: { shape: text(), text: 'The program that runs the job after the command ends.' },
  source: { shape: text(), text: 'The source of this fact.' },
};

const program: Readonly<Record<string, Field>> = {
  words: { shape: text(), text: 'A regular expression for the words of a command that start it.' },
  configs: { shape: texts, text: 'Flags whose values are configs; later ones override earlier ones.' },
  ending: { shape: text(), text: 'The extension of configs that are named without it.' },
  folder: { shape: texts, text: 'Flags that name the folder of the configs.' },
  refusesTwice: { shape: text('true', 'false'), text: 'No key may be in two of its configs.' },
  argv: { shape: text('true', 'false'), text: 'Its arguments are the config: no file is one.' },
  sections: { shape: texts, text: 'Keys whose flag may name a file with their content.' },
  classes: { shape: texts, text: 'Those of `sections` that are objects of a class.' },
  hints: {
    shape: text(),
    text: 'A regular expression for words of a command: if they match, flags of its family are its own.',
  },
  module: {
    shape: text(),
    text: 'A Python module: if a script imports it, flags of the family are its own.',
  },
  flags: {
    shape: texts,
    text: 'Flags that no other dialect of its family has; several in one entry: all must be present.',
  },
  source: { shape: text(), text: 'The source of this fact.' },
};

const datasets: Readonly<Record<string, Field>> = {
  path: { shape: text(), needed: true, text: 'The key with a file, a folder or a name on the Hub.' },
  in: { shape: text(), text: 'A list, or a section, whose entries have the keys.' },
  files: { shape: text(), text: 'The key with files of the dataset.' },
  template: { shape: text('none', 'alpaca', 'chat'), text: 'The template that rows are put into.' },
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
      text: 'Its name in outputs, in lowercase with dashes. The id of a built-in dialect replaces that dialect here; its rules still apply.',
    },
    title: { shape: text(), text: 'The name for display.' },
    recognise: {
      shape: { kind: 'object', fields: signature },
      needed: true,
      text: 'The keys that identify its files.',
    },
    loader: {
      shape: text('pyyaml', 'omegaconf', 'hyperpyyaml', 'json'),
      text: 'The loader of the file; default: PyYAML.',
    },
    sections: { shape: texts, text: 'Sections that may hold the keys instead of the root.' },
    quantities: { shape: rowsNamed(quantityRows), needed: true, text: 'Where each quantity is stated.' },
    details: { shape: rowsNamed(detailRows), text: 'Details that only the memory model needs.' },
    like: {
      shape: { kind: 'object', fields: tables },
      text: 'Tables of rows that several dialects share, with the section of their keys or the source: `lightningTrainer: trainer`, `trainingArguments`, `wholeModel`.',
    },
    writers: {
      shape: { kind: 'table', of: writerShape },
      text: 'How to write quantities that need more than a row’s key: one way, or a list of which the first that fits is used.',
    },
    datasets: {
      shape: { kind: 'several', of: { kind: 'object', fields: datasets } },
      text: 'Keys that name the training data; the first that is present.',
    },
    compose: {
      shape: { kind: 'any' },
      text: '`hydra`, or `keys` that name the base files of a config.',
    },
    classKeys: { shape: texts, text: 'Keys that name classes of a project’s own code.' },
    keysOf: {
      shape: texts,
      text: 'Built-in config formats whose keys these configs may also have: `hf-trainer`.',
    },
    otherKeys: {
      shape: texts,
      text: 'Other keys of the program as paths, in a list or separated by spaces. They are completed, and misspellings are reported.',
    },
    stages: {
      shape: {
        kind: 'object',
        fields: {
          folders: {
            shape: texts,
            needed: true,
            text: 'Folders next to the config with one file per stage.',
          },
          at: { shape: text(), needed: true, text: 'Where a stage’s keys appear in the config.' },
          marked: { shape: text(), needed: true, text: 'A key that every stage has.' },
          config: { shape: texts, needed: true, text: 'Keys that only the config has.' },
        },
      },
      text: 'Stages of a run, each in a separate file.',
    },
    ownModel: {
      shape: {
        kind: 'object',
        fields: {
          config: {
            shape: { kind: 'table', of: { kind: 'any' } },
            needed: true,
            text: 'Its sizes under their names in a Hugging Face `config.json`: a value, or a row with `keys` and `default`.',
          },
          fromScratch: {
            shape: text('true', 'false'),
            text: 'It starts with random weights: plans may change its sizes.',
          },
        },
      },
      text: 'A model that the program builds from the config’s keys.',
    },
    help: {
      shape: {
        kind: 'table',
        of: {
          kind: 'object',
          fields: {
            text: { shape: text(), needed: true, text: 'The key’s effect, especially on memory.' },
            values: { shape: texts, text: 'All possible values, if there are few.' },
            default: { shape: { kind: 'value' }, text: 'The default.' },
          },
        },
      },
      text: 'Help that is shown on hover, and values that are offered as completions.',
    },
    launch: {
      shape: { kind: 'several', of: { kind: 'object', fields: launch } },
      text: 'How to start the program with a config; several ways as a list, most common first.',
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
            text: 'Releases of other libraries that matter.',
          },
        },
      },
      text: 'The release that this file describes.',
    },
    engines: {
      shape: {
        kind: 'list',
        of: {
          kind: 'object',
          fields: {
            name: { shape: text(), needed: true, text: 'The engine’s name in the memory model.' },
            when: {
              shape: { kind: 'object', fields: rowConditions },
              needed: true,
              text: 'Conditions that must all hold.',
            },
          },
        },
      },
      text: 'Engines with code of their own that runs are handed to; the first whose conditions hold.',
    },
    releases: {
      shape: {
        kind: 'list',
        of: {
          kind: 'object',
          fields: {
            keys: { shape: texts, needed: true, text: 'Keys that newer releases do not have.' },
            values: { shape: text(), text: 'A pattern: of these keys, only such values are old.' },
            upTo: {
              shape: { kind: 'table', of: text() },
              needed: true,
              text: 'The last releases that have them, by library.',
            },
            source: { shape: text(), text: 'The source of this fact.' },
          },
        },
      },
      text: 'Keys that show which releases a config was written for.',
    },
    unstated: {
      shape: text('none', 'unknown'),
      text: 'The meaning of a quantity without a row: `none` (the default: nothing is sharded or quantized) or `unknown`.',
    },
    byRole: {
      shape: text('true', 'false', 'unread'),
      text: 'Projects choose their own keys: Headroom finds quantities without a row by name and place. `unread`: only in keys that no row has.',
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
              text: 'Presets that the framework ships, used if there is no such file.',
            },
          },
        },
      },
      text: 'Keys that name other files of the run.',
    },
    program: { shape: { kind: 'object', fields: program }, text: 'How the program takes configs.' },
    calls: {
      shape: { kind: 'list', of: { kind: 'object', fields: callShape } },
      text: 'Calls of Python code whose arguments are keys.',
    },
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
            keys: { shape: texts, needed: true, text: 'Keys that state it, in order of precedence.' },
            near: { shape: texts, text: 'Neighbors for a new key, in order of preference.' },
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
      text: 'Findings about a config.',
    },
  },
};

const evidence: Readonly<Record<string, Field>> = {
  modules: { shape: texts, text: 'Modules with the project’s classes.' },
  classKeys: { shape: texts, text: 'Keys that name them, tried before those of the general dialect.' },
  keys: { shape: texts, text: 'Keys that only the project’s configs have.' },
};

const { id, recognise, quantities, details, writers, help } = dialectShape.fields as Record<string, Field>;

/** The shape of a pack file, which extends a general dialect for one project's configs. */
export const packShape: Shape = {
  kind: 'object',
  fields: Object.fromEntries(
    Object.entries({
      id,
      project: { shape: text(), needed: true, text: 'The repository and its commit.' },
      extends: { shape: texts, needed: true, text: 'General dialects that it extends.' },
      evidence: {
        shape: { kind: 'object', fields: evidence },
        needed: true,
        text: 'What distinguishes the project’s configs from others: one condition must hold.',
      },
      task: { shape: text(), text: 'The task of the project’s classes.' },
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
