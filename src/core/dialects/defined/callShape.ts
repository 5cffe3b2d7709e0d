import { text, texts } from './fields';
import type { Field } from './fields';

/** The shape of a call in a dialect file. */
export const callShape: Readonly<Record<string, Field>> = {
  of: {
    shape: texts,
    needed: true,
    text: 'Its names with their module: `trl.SFTTrainer`. One part may begin or end with `*`.',
  },
  role: {
    shape: text('run', 'part', 'beside'),
    text: '`run`: it is a run; `part` (the default): it is given to one; `beside`: any call with this last name states it.',
  },
  needs: {
    shape: texts,
    text: 'Arguments without which a call of role `beside` does not count, nor a run without their text.',
  },
  unless: { shape: texts, text: 'Arguments with which a call of role `beside` does not count.' },
  prefers: { shape: texts, text: 'Arguments of the calls of role `beside` that count where they differ.' },
  module: { shape: text(), text: 'A module that the program must import.' },
  startedBy: { shape: texts, text: 'Methods and functions that start the run.' },
  alone: { shape: text('true', 'false'), text: 'It is a run only in programs that train nothing.' },
  givenAs: { shape: texts, text: 'Arguments of other calls through which it becomes part of a run.' },
  positional: { shape: texts, text: 'Names of positional arguments.' },
  keys: { shape: { kind: 'table', of: text() }, text: 'Arguments whose keys have other names.' },
  own: { shape: text('true', 'false'), text: 'All other arguments are keys under their own names.' },
  only: { shape: texts, text: 'The other arguments that are keys under their own names.' },
  joint: { shape: text(), text: 'What joins the words of keys where arguments have `_`.' },
  sets: { shape: { kind: 'table', of: { kind: 'value' } }, text: 'Keys that it sets if no argument does.' },
  ifStated: { shape: texts, text: 'Keys of the run; without one of them it sets nothing.' },
  offBy: { shape: text(), text: 'An argument that is false if it sets nothing.' },
};
