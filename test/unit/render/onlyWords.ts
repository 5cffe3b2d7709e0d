import assert from 'node:assert/strict';
import type { Markdown } from '../../../src/core/text/markdown';
import type { TerminalText } from '../../../src/core/text/terminal';

/** What a screen obeys or hides. */
export const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

export function checkTerminal(text: TerminalText): void {
  for (const line of text.raw.split('\n')) assert.doesNotMatch(line, UNSEEN);
}

/** Between our own backticks anything goes; elsewhere each mark of a stranger's has its backslash. */
export function checkMarkdown({ source }: Markdown): void {
  for (const line of source.split('\n')) assert.doesNotMatch(line, UNSEEN);
  // What stood beside an escaped character does not stand together.
  const plain = source.replaceAll(/\\./g, '·').replaceAll(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g, '');
  assert.doesNotMatch(plain, /https?:\/\/|www\.|<|!\[(?!\]\(data:|[^\]]*\]\(data:image\/svg)/);
  assert.doesNotMatch(plain, /\]\((?!command:headroom\.|data:image\/svg\+xml;utf8,)/);
  assert.doesNotMatch(plain, /\*\*b\*\*|^# evil/m);
}

/** A line of a list, a lens or a status bar, in which VS Code draws `$(name)`. */
export const checkLabel = (text: string): void => {
  assert.doesNotMatch(text, UNSEEN);
  assert.doesNotMatch(text, /(?<!\\)\$\(alert/);
};
