import type { Argument, Call } from './value';

/** Where a new argument of a call stands, and in which style. */
export interface Insertion {
  readonly at: number;
  readonly before: string;
  readonly after: string;
  readonly sign: string;
  readonly quote: '"' | "'";
}

/** A new argument comes behind the last one of a call, on a line of its own if that one has one. */
export function insertionIn(text: string, { list, args }: Pick<Call, 'list' | 'args'>): Insertion {
  const inner = text.slice(list.start + 1, list.end - 1);
  const quote = inner.includes('"') || !inner.includes("'") ? '"' : "'";
  if (inner.trim() === '') return { at: list.start + 1, before: '', after: ', ', sign: '=', quote };
  const own = args.filter(({ isOwn }) => isOwn);
  const last = own.findLast(({ name }) => name !== null) ?? own.at(-1);
  const style = { sign: last ? signOf(text, last) : '=', quote } as const;
  const end = lastCode(text, list.start + 1, list.end - 1);
  const hasComma = text[end - 1] === ',';
  const after = hasComma ? ',' : '';
  const indent = last === undefined ? null : indentOf(text, last.keySpan.start);
  if (indent === null) return { at: end, before: hasComma ? ' ' : ', ', after, ...style };
  return { ...newLine(text, end, hasComma, indent), after, ...style };
}

/** The equals sign as an argument has it. */
function signOf(text: string, { name, keySpan, value }: Argument): string {
  return name !== null && /\s/.test(text.slice(keySpan.end, value.span.start)) ? ' = ' : '=';
}

/** A comment behind the last comma stays with its argument. */
function newLine(text: string, end: number, hasComma: boolean, indent: string) {
  const lineEnd = text.indexOf('\n', end);
  const rest = lineEnd < 0 ? '' : text.slice(end, lineEnd);
  const eol = text[lineEnd - 1] === '\r' ? '\r\n' : '\n';
  const at = hasComma && rest.trimStart().startsWith('#') ? end + rest.trimEnd().length : end;
  return { at, before: `${hasComma ? '' : ','}${eol}${indent}` };
}

/** The indentation of an argument that begins its line; null if it follows something. */
function indentOf(text: string, at: number): string | null {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const indent = text.slice(start, at);
  return /^[ \t]*$/.test(indent) ? indent : null;
}

/** The end of the last token before a closing parenthesis, without comments. */
function lastCode(text: string, from: number, to: number): number {
  let end = from;
  let quote = '';
  for (let at = from; at < to; at++) {
    const sign = text[at] ?? '';
    if (quote !== '') {
      if (sign === '\\') at++;
      else if (text.startsWith(quote, at)) {
        at += quote.length - 1;
        quote = '';
      }
      end = at + 1;
    } else if (sign === '#') {
      const line = text.indexOf('\n', at);
      at = line < 0 ? to : line;
    } else if (sign === '"' || sign === "'") {
      quote = text.startsWith(sign.repeat(3), at) ? sign.repeat(3) : sign;
      at += quote.length - 1;
      end = at + 1;
    } else if (!/\s/.test(sign)) end = at + 1;
  }
  return Math.min(end, to);
}
