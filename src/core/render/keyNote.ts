import type { KeyDefault, KeyNote } from '../dialects/keyNotes';
import { mdFilled, mdText, mdCode, mdJoined } from '../text/markdown';
import type { Markdown } from '../text/markdown';
import { english } from '../text/say';
import { comma } from '../text/lists';
import type { Say } from '../text/say';

function scopeText(say: Say, scope: NonNullable<KeyNote['scope']>): string {
  if (scope === 'device') return say('Counted on each GPU.');
  return scope === 'node' ? say('Counted on each node.') : say('Counted across all GPUs.');
}

/** A dialect's note on a key, as Markdown under its own heading. */
export function keyNote(note: KeyNote, say: Say = english): Markdown {
  return mdText`**${note.key}** · ${note.title}\n\n${mdJoined(keyNoteSentences(note, say), ' ')}`;
}

/** The note as sentences. */
export function keyNoteSentences(
  { text, values, defaults, scope }: KeyNote,
  say: Say = english,
): readonly Markdown[] {
  const sentences: Markdown[] = [];
  if (text !== null) sentences.push(...text.split(SENTENCES).map(one => mdText`${one}`));
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

const SENTENCES = /(?<=\.) (?=[A-Z])/;

function oneDefault(say: Say, { value, since, source }: KeyDefault): Markdown {
  return since === null
    ? mdText`${mdCode(value)} (${source})`
    : mdText`${mdFilled(say('{0} since {1}'), [mdCode(value), since])} (${source})`;
}
