import type { KeyDefault, KeyNote } from '../dialects/keyNotes';
import { mdText, mdCode, mdJoined } from '../text/markdown';
import type { Markdown } from '../text/markdown';

const SCOPES = { device: 'on each GPU', node: 'on each node', global: 'across all GPUs' } as const;

/** A dialect's note on a key, as Markdown under its own heading. */
export function keyNote(note: KeyNote): Markdown {
  return mdText`**${note.key}** · ${note.title}\n\n${mdJoined(keyNoteSentences(note), ' ')}`;
}

/** The note as sentences. */
export function keyNoteSentences({ text, values, defaults, scope }: KeyNote): readonly Markdown[] {
  const sentences: Markdown[] = [];
  if (text !== null) sentences.push(...text.split(SENTENCES).map(one => mdText`${one}`));
  if (scope !== null) sentences.push(mdText`Counted ${SCOPES[scope]}.`);
  if (values.length > 0) sentences.push(mdText`Values: ${mdJoined(values.map(mdCode), ', ')}.`);
  if (defaults.length > 0) sentences.push(mdText`Default: ${mdJoined(defaults.map(oneDefault), '; ')}.`);
  return sentences;
}

const SENTENCES = /(?<=\.) (?=[A-Z])/;

const oneDefault = ({ value, since, source }: KeyDefault): Markdown =>
  mdText`${mdCode(value)}${since === null ? '' : mdText` since ${since}`} (${source})`;
