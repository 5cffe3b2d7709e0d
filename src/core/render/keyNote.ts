import type { KeyDefault, KeyNote } from '../dialects/keyNotes';
import { escape } from './hover';

const SCOPES = { device: 'on each GPU', node: 'on each node', global: 'across all GPUs' } as const;

/** What a dialect knows of a key, as Markdown under a heading of its own. */
export function keyNote(note: KeyNote): string {
  return `**${escape(note.key)}** · ${escape(note.title)}\n\n${keyNoteLine(note)}`;
}

/** The same as one paragraph. */
export function keyNoteLine({ text, values, defaults, scope }: KeyNote): string {
  const sentences: string[] = [];
  if (text !== null) sentences.push(escape(text));
  if (scope !== null) sentences.push(`Counted ${SCOPES[scope]}.`);
  if (values.length > 0) sentences.push(`Values: ${values.map(value => `\`${value}\``).join(', ')}.`);
  if (defaults.length > 0) sentences.push(`Default: ${defaults.map(oneDefault).join('; ')}.`);
  return sentences.join(' ');
}

const oneDefault = ({ value, since, source }: KeyDefault): string =>
  `\`${value}\`${since === null ? '' : ` since ${escape(since)}`} (${escape(source)})`;
