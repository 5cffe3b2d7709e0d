import { slice } from './located';
import type { Located } from '../../text/located';

/** The content that a heredoc assigns to a variable: `read -r -d '' NAME <<EOF`. */
type Heredocs = ReadonlyMap<string, Located>;

/** Removes heredocs, whose content is data and not commands, and returns those that fill a variable. */
export function withoutHeredocs(script: Located): { readonly rest: Located; readonly filled: Heredocs } {
  const { text } = script;
  const filled = new Map<string, Located>();
  const kept: number[] = [];
  let until: { readonly word: string; readonly name: string | null; readonly from: number } | null = null;
  let at = 0;
  for (const line of text.split('\n')) {
    const next = at + line.length + 1;
    if (until === null) {
      for (let i = at; i < Math.min(text.length, next); i++) kept.push(i);
      const word = /<<-?\s*['"]?(\w+)/.exec(line)?.[1];
      const name = /\bread\b.*\s([A-Za-z_]\w*)\s*<</.exec(line)?.[1] ?? null;
      if (word !== undefined) until = { word, name, from: next };
    } else if (line.trim() === until.word) {
      if (until.name !== null) filled.set(until.name, slice(script, until.from, at));
      until = null;
    }
    at = next;
  }
  const rest = {
    text: kept.map(i => text[i] ?? '').join(''),
    at: [...kept, text.length].map(i => script.at[i] ?? 0),
  };
  return { rest, filled };
}
