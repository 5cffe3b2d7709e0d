import { slice } from './located';
import type { Located } from '../../text/located';

/** The bodies of functions by their names. */
export type Functions = ReadonlyMap<string, Located>;

const HEAD =
  /^([ \t]*)(?:function[ \t]+([A-Za-z_][\w-]{0,60})(?:[ \t]*\([ \t]*\))?|([A-Za-z_][\w-]{0,60})[ \t]*\([ \t]*\))[ \t]*\{[ \t]*(?:#.*)?$/;

/** Takes out the functions that a script calls: each call has the commands of their bodies, with its words as `$1`. */
export function withoutFunctions(script: Located): { readonly rest: Located; readonly functions: Functions } {
  const { text } = script;
  const functions = new Map<string, Located>();
  const lines = text.split('\n');
  const kept: number[] = [];
  let at = 0;
  let end = -1;
  for (const [i, line] of lines.entries()) {
    const next = at + line.length + 1;
    const [, indent = '', word, plain] = (i > end ? HEAD.exec(line) : null) ?? [];
    const name = word ?? plain;
    const last = name === undefined ? -1 : lines.findIndex((other, j) => j > i && closes(other, indent));
    if (name !== undefined && last > i && isCalled(name, [...lines.slice(0, i), ...lines.slice(last)])) {
      const length = lines.slice(i + 1, last).reduce((sum, { length: own }) => sum + own + 1, 0);
      functions.set(name, slice(script, next, next + length));
      end = last;
    }
    if (i > end) for (let place = at; place < Math.min(text.length, next); place++) kept.push(place);
    at = next;
  }
  if (functions.size === 0) return { rest: script, functions };
  const rest = {
    text: kept.map(place => text[place] ?? '').join(''),
    at: [...kept, text.length].map(place => script.at[place] ?? 0),
  };
  return { rest, functions };
}

const closes = (line: string, indent: string): boolean =>
  line.startsWith(`${indent}}`) && /^\s*\}\s*(?:#.*)?$/.test(line);

/** Whether a line begins with the name, or has it behind another command. */
const isCalled = (name: string, lines: readonly string[]): boolean => {
  const call = new RegExp(`(?:^|[;&|]|\\b(?:do|then|else)\\b)\\s*${name}(?=\\s|;|$)(?!\\s*\\()`);
  return lines.some(line => call.test(line));
};
