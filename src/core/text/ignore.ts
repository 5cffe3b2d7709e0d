/** The result of ignore rules for a path: the last matching rule wins; null if none matches. */
export type IgnoreRules = (path: string, isFolder: boolean) => boolean | null;

interface Rule {
  readonly pattern: RegExp;
  readonly isExclusion: boolean;
  readonly foldersOnly: boolean;
}

/**
 * The rules of a `.gitignore` (gitignore(5)) for paths relative to its folder, with slashes but no leading one. As
 * in git, an ignored folder includes its content: callers must not enter it.
 */
export function ignoreRules(text: string): IgnoreRules {
  const rules = text.split('\n').flatMap(line => ruleOf(line.replace(/\r$/, '')));
  return (path, isFolder) => {
    const rule = rules.findLast(
      ({ pattern, foldersOnly }) => (isFolder || !foldersOnly) && pattern.test(path),
    );
    return rule === undefined ? null : rule.isExclusion;
  };
}

/** Trailing spaces only count after a backslash. */
const TRAILING = /(?:(?<!\\)(?:\\\\)+ +|(?<![ \\]) +|(?<=\\ ) +)$/;

function ruleOf(line: string): readonly Rule[] {
  let text = line.replace(TRAILING, '');
  if (text === '' || text.startsWith('#')) return [];
  const isExclusion = !text.startsWith('!');
  if (!isExclusion) text = text.slice(1);
  const foldersOnly = text.endsWith('/');
  if (foldersOnly) text = text.slice(0, -1);
  const isAnchored = text.includes('/');
  const body = expression(text.replace(/^\//, '').replace(REPEATED, '$1**'));
  if (body === null || text === '') return [];
  const pattern = new RegExp(isAnchored ? `^${body}$` : `^(?:.*/)?${body}$`, 's');
  return [{ pattern, isExclusion, foldersOnly }];
}

/** Consecutive `**` levels are one. */
const REPEATED = /(^|\/)\*\*(?:\/\*\*)+(?=\/|$)/g;

/** Parts of a pattern, longest first. */
const PIECES = /^\*\*\/|\/\*\*\/|\/\*\*$|\*+|\?|\[(?:[!^]?\]?(?:\\.|\[:\w+:\]|[^\]\\])*)(?:\]|$)|\\.|[^]/g;

/** A pattern as a regular expression; null if it matches nothing (an unclosed bracket or a trailing backslash). */
function expression(glob: string): string | null {
  if (glob === '**') return '.+';
  const pieces = glob.match(PIECES) ?? [];
  if (pieces.some(piece => piece === '[' || piece === '\\')) return null;
  return new Expression(pieces).source;
}

const isFolders = (piece: string): boolean => piece.endsWith('**/');
const isStar = (piece: string): boolean => /^\*+$/.test(piece);

/**
 * Joins pieces. What stands between two wildcards is taken where it first fits, and nowhere else: whatever follows can only gain from
 * an earlier place, and trying all places takes a time that grows with their number to the power of the wildcards.
 */
class Expression {
  readonly source: string;
  private groups = 0;

  constructor(pieces: readonly string[]) {
    const starts = pieces.flatMap((piece, at) => (isFolders(piece) ? [at] : []));
    const parts = [0, ...starts].map((from, at) => pieces.slice(from, starts[at]));
    this.source = parts.map((part, at) => this.folders(part, at < parts.length - 1)).join('');
  }

  /** Pieces from a `**` on; `isInner`: another follows. */
  private folders(pieces: readonly string[], isInner: boolean): string {
    const [first = '', ...rest] = pieces;
    if (!isFolders(first)) return this.levels(pieces);
    const slash = first.startsWith('/') ? '/' : '';
    const own = this.levels(rest);
    return slash + (isInner ? this.first(`(?:.*?/)?${own}(?=/)`) : `(?:.*/)?${own}`);
  }

  /** Pieces without `**` but at the end. */
  private levels(pieces: readonly string[]): string {
    let source = '';
    for (let at = 0; at < pieces.length; at++) {
      const piece = pieces[at] ?? '';
      const next = isStar(piece) ? pieces.findIndex((other, place) => place > at && isStar(other)) : -1;
      const between = pieces.slice(at + 1, Math.max(next, 0));
      if (next > 0 && !between.some(other => other.startsWith('/'))) {
        source += this.first(`[^/]*?${between.map(expressionOf).join('')}`);
        at = next - 1;
      } else source += expressionOf(piece);
    }
    return source;
  }

  /** Where a lookahead has taken something, it does not try another way. */
  private first(source: string): string {
    const name = `w${String(this.groups++)}`;
    return `(?=(?<${name}>${source}))\\k<${name}>`;
  }
}

function expressionOf(piece: string): string {
  if (piece === '/**') return '/.+';
  if (isStar(piece)) return '[^/]*';
  if (piece === '?') return '[^/]';
  if (piece.startsWith('[')) return bracket(piece);
  return escaped(piece.length > 1 ? piece.slice(1) : piece);
}

const CLASSES: Readonly<Record<string, string>> = {
  alnum: 'A-Za-z0-9',
  alpha: 'A-Za-z',
  digit: '0-9',
  lower: 'a-z',
  upper: 'A-Z',
  space: '\\s',
  xdigit: '0-9A-Fa-f',
  punct: '!-/:-@[-`{-~',
};

/** `[!a-c]`: one character except a slash. */
function bracket(piece: string): string {
  const isNot = /^\[[!^]/.test(piece);
  const inside = piece.slice(isNot ? 2 : 1, -1);
  const set = inside.replace(/\[:(\w+):\]|\\(.)|[\][\\^]/gs, (match, name?: string, plain?: string) => {
    if (name !== undefined) return escapedClass(Object.hasOwn(CLASSES, name) ? (CLASSES[name] ?? '') : '');
    return `\\${plain ?? match}`;
  });
  return isNot ? `(?!/)[^${set}]` : `(?!/)[${set}]`;
}

const escapedClass = (text: string): string => text.replace(/[[\]]/g, '\\$&');
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
