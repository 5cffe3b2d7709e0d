import { lineIndexOf } from '../dialects/engine/layers';
import { isScript, readScript } from '../dialects/envelopes/batchScript';
import { meantBy } from '../text/editDistance';
import { parsedJson } from '../text/json';
import { basename } from '../text/paths';
import type { Span } from '../text/span';
import { applyEdits } from '../text/textEdit';
import type { TextEdit } from '../text/textEdit';
import type { YamlFile } from '../yaml/node';
import { parseText } from '../yaml/file';
import type { Say } from '../text/say';

/**
 * `# headroom: ignore[rule, rule]` applies to its line, or to the next if it is alone; `ignore-file[…]` to the
 * file.
 */
const COMMENT = /(?:^|(?<=[ \t\n]))#[ \t]*headroom:[ \t]*ignore(-file)?\[([^\]\n]*)\]/g;

/** An id within such a comment. */
interface IgnoredRule {
  readonly id: string;
  readonly span: Span;
  /** The line that it applies to, from 1; null: the whole file. */
  readonly line: number | null;
}

/** The rules that comments of a file ignore. */
export const ignoredIn = (yaml: YamlFile): readonly IgnoredRule[] =>
  yaml.text.includes('headroom:') ? [...commentsIn(yaml)] : [];

function* commentsIn(yaml: YamlFile): Generator<IgnoredRule> {
  const lines = lineIndexOf(yaml);
  for (const match of yaml.text.matchAll(COMMENT)) {
    const [whole, file, list = ''] = match;
    const line = file === undefined ? lineFor(yaml.text, lines.placeOf(match.index).line) : null;
    const from = match.index + whole.length - list.length - 1;
    for (const { 0: id, index } of list.matchAll(/[^\s,]+/g)) {
      yield { id, span: { start: from + index, end: from + index + id.length }, line };
    }
  }
}

/** A comment after a key applies to its line; a separate one to the next line that is not a comment. */
function lineFor(text: string, line: number): number {
  const lines = text.split('\n');
  let at = line;
  while (at < lines.length && /^\s*#/.test(lines[at - 1] ?? '')) at++;
  return at;
}

/** True if a comment of the file ignores a rule on a line. */
export const isIgnored = (yaml: YamlFile, rule: string, line: number): boolean =>
  ignoredIn(yaml).some(one => one.id === rule && (one.line === null || one.line === line));

/** The message for an id that no rule has. */
export function unknownRule(say: Say, id: string, ids: readonly string[]): string {
  const meant = meantBy(id, ids);
  return meant === null
    ? say('No rule is called `{0}`. See the list of rules.', id)
    : say('No rule is called `{0}`. Did you mean `{1}`?', id, meant);
}

/** A file with its text. */
interface Named {
  readonly path: string;
  readonly text: string;
}

/** The scope of an ignore comment. */
export type IgnoreScope = 'line' | 'file';

/**
 * The edit that adds a comment to ignore a rule; null if no comment is possible: in JSON, or within a text or a
 * command.
 */
export function ignoreEdit(
  file: Named,
  at: { readonly rule: string; readonly line: number },
  scope: IgnoreScope,
): TextEdit | null {
  const { path, text } = file;
  if (/\.jsonc?$/i.test(basename(path)) || parsedJson(text) !== null) return null;
  const edit = scope === 'file' ? fileEdit(text, at.rule) : lineEdit(file, at.rule, at.line);
  return edit && saysTheSame(file, applyEdits(text, [edit])) ? edit : null;
}

function fileEdit(text: string, rule: string): TextEdit {
  const more = addedTo(text, rule, 'ignore-file[', 0, text.length);
  if (more) return more;
  const top = text.startsWith('#!') ? endOfLine(text, 0) + 1 : text.startsWith('\uFEFF') ? 1 : 0;
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  return { span: { start: top, end: top }, text: `# headroom: ignore-file[${rule}]${end}` };
}

function lineEdit({ path, text }: Named, rule: string, line: number): TextEdit | null {
  const lines = text.split('\n');
  const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  const [before = '', own = ''] = [lines[line - 2], lines[line - 1]].map(one => one?.trimEnd());
  // After or before a line that ends with a backslash, a comment would end the command.
  if (
    own === '' ||
    own.startsWith('#') ||
    own.endsWith('\\') ||
    (isScript(text, path) && before.endsWith('\\'))
  ) {
    return null;
  }
  const end = start + own.length;
  return (
    addedTo(text, rule, 'ignore[', start, end) ?? {
      span: { start: end, end },
      text: ` # headroom: ignore[${rule}]`,
    }
  );
}

/** Adds an id to an existing comment. */
function addedTo(text: string, rule: string, word: string, from: number, to: number): TextEdit | null {
  const comment = [...text.slice(from, to).matchAll(COMMENT)].find(([whole]) => whole.includes(word));
  if (!comment) return null;
  const end = from + comment.index + comment[0].length - 1;
  return { span: { start: end, end }, text: `${comment[2]?.trim() ? ', ' : ''}${rule}` };
}

/** A shebang at the end of the file has no line after it. */
function endOfLine(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at < 0 ? text.length - 1 : at;
}

/** True if two texts have the same values, so that only a comment was added. */
function saysTheSame({ path, text: one }: Named, other: string): boolean {
  const [a, b] = [one, other].map(text =>
    valuesOf(isScript(text, path) ? readScript(text) : parseText(text)),
  );
  return a === b;
}

/** Positions move with the text, and an alias's value is at its anchor. */
const NO_VALUES: ReadonlySet<string> = new Set([
  'text',
  'span',
  'keySpan',
  'target',
  'sharedAnchors',
  'table',
]);

const valuesOf = (yaml: YamlFile): string =>
  JSON.stringify(yaml, (key, value: unknown) => (NO_VALUES.has(key) ? undefined : value));
