import type { KeyDefault, KeyNote } from '../dialects/keyNotes';
import { mdFilled, mdText, mdCode, mdJoined } from '../text/markdown';
import type { Markdown } from '../text/markdown';
import { english, told } from '../text/say';
import { comma } from '../text/lists';
import type { Say } from '../text/say';

function scopeText(say: Say, scope: NonNullable<KeyNote['scope']>): string {
  if (scope === 'device') return say('Counted on each GPU.');
  return scope === 'node' ? say('Counted on each node.') : say('Counted across all GPUs.');
}

/** A dialect's note on a key, as Markdown under its own heading. */
export function keyNote(note: KeyNote, say: Say = english): Markdown {
  return mdText`**${note.key}** · ${told(say, note.title)}\n\n${mdJoined(keyNoteSentences(note, say), ' ')}`;
}

/** The note as sentences. */
export function keyNoteSentences(
  { text, quantity, values, defaults, scope }: KeyNote,
  say: Say = english,
): readonly Markdown[] {
  const sentences: Markdown[] = [];
  if (text !== null) {
    const about = quantity === null ? '' : `${quantity}: `;
    sentences.push(...`${about}${told(say, text)}`.split(SENTENCES).map(withCode));
  }
  if (scope !== null) sentences.push(mdText`${scopeText(say, scope)}`);
  if (values.length > 0) {
    sentences.push(mdFilled(say('Values: {0}.'), [mdJoined(values.map(mdCode), comma(say))]));
  }
  if (defaults.length > 0) {
    const all = defaults.map(one => oneDefault(say, one));
    sentences.push(mdFilled(say('Default: {0}.'), [mdJoined(all, '; ')]));
  }
  return sentences;
}

const CODE = /`([^`]+)`/;

/** A sentence whose words between backticks are code: a note names keys so. */
const withCode = (sentence: string): Markdown =>
  mdJoined(
    sentence.split(CODE).map((part, at) => (at % 2 === 0 ? part : mdCode(part))),
    '',
  );

const SENTENCES = /(?<=\.) (?=[A-Z])|(?<=。)(?=.)/;

/** A default of several words describes a value; a single word is one. */
const defaultText = (say: Say, value: string): string => (value.includes(' ') ? told(say, value) : value);

function oneDefault(say: Say, { value, since, source }: KeyDefault): Markdown {
  const shown = mdCode(defaultText(say, value));
  return since === null
    ? mdText`${shown} (${source})`
    : mdText`${mdFilled(say('{0} since {1}'), [shown, since])} (${source})`;
}
