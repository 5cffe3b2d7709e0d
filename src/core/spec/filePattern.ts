/** A regular expression from a user's file. */
export interface Pattern {
  test(text: string): boolean;
}

/** Matches nothing. */
const MATCHES_NOTHING: Pattern = { test: () => false };

/** Hand-written patterns have a few dozen characters. */
const MOST_CHARACTERS = 2000;
/** The most steps that the engine may take: some tenths of a second. */
const MOST_STEPS = 1e8;
const MOST_TIMES = 1000;
/** Repeats of a group that are allowed whatever it contains. */
const FEW_TIMES = 3;

/**
 * A regular expression from a file. Null if it is invalid, or if a repeat contains another repeat or an
 * alternative, which can take exponential time. Truncates texts that are too long for it.
 */
export function filePattern(source: string, flags = ''): Pattern | null {
  const repeats = repeatsOf(source);
  if (repeats === null) return null;
  try {
    const pattern = new RegExp(source, flags);
    // A search starts at every character, which adds a loop around all repeats.
    const loops = repeats === 0 ? 0 : repeats + (source.startsWith('^') ? 0 : 1);
    const most = loops === 0 ? Infinity : (MOST_STEPS * factorial(loops)) ** (1 / loops);
    return { test: text => pattern.test(text.length <= most ? text : text.slice(0, most)) };
  } catch {
    return null;
  }
}

/** Like `filePattern`, but an invalid pattern matches nothing. The file's check reports it. */
export const patternFrom = (source: string, flags = ''): Pattern =>
  filePattern(source, flags) ?? MATCHES_NOTHING;

/** Nested loops visit only one order of their end positions out of this many. */
const factorial = (n: number): number => (n <= 1 ? 1 : n * factorial(n - 1));

/** Number of unbounded repeats in a pattern; null if they are nested, or if a bounded repeat is too large. */
function repeatsOf(source: string): number | null {
  if (source.length > MOST_CHARACTERS || /\\[1-9k]/.test(source)) return null;
  const groups: Group[] = [{ branches: false, repeats: 0 }];
  for (let at = 0; at < source.length; at++) {
    const character = source[at];
    if (character === '\\') at += 1;
    else if (character === '[') at = endOfClass(source, at);
    else if (character === '(') groups.push({ branches: false, repeats: 0 });
    else if (!isBounded(source, at, groups)) return null;
  }
  return groups.length === 1 ? (groups[0]?.repeats ?? 0) : null;
}

/** Sources of ambiguity in a group. */
interface Group {
  branches: boolean;
  repeats: number;
}

/** Processes an alternative, the end of a group or a quantifier; false if it cannot be bounded. */
function isBounded(source: string, at: number, groups: Group[]): boolean {
  const inner = groups.at(-1);
  if (source[at] === ')') return isClosed(timesAt(source, at + 1), groups);
  const times = timesAt(source, at);
  if (inner === undefined || (times > MOST_TIMES && times !== Infinity)) return false;
  inner.branches ||= times > 0 || source[at] === '|';
  if (times === Infinity) inner.repeats += 1;
  return true;
}

function isClosed(times: number, groups: Group[]): boolean {
  const inner = groups.pop();
  const outer = groups.at(-1);
  if (!inner || !outer || (inner.branches && times > FEW_TIMES)) return false;
  outer.branches ||= inner.branches;
  outer.repeats += inner.repeats * Math.min(Math.max(1, times), FEW_TIMES);
  return true;
}

/** The most repeats by the quantifier at a position; 0: no quantifier. */
function timesAt(source: string, at: number): number {
  const character = source[at];
  if (character === '*' || character === '+') return Infinity;
  // `(?:` begins a group, and `a*?` is a lazy repeat.
  if (character === '?') return /[(*+?}]/.test(source[at - 1] ?? '(') ? 0 : 1;
  const counted = character === '{' ? /^\{(\d+)(?:(,)(\d*))?\}/.exec(source.slice(at, at + 16)) : null;
  if (!counted) return 0;
  const [, least = '', comma = '', most = ''] = counted;
  return comma !== '' && most === '' ? Infinity : Math.max(1, Number(most === '' ? least : most));
}

function endOfClass(source: string, from: number): number {
  for (let at = from + 1; at < source.length; at++) {
    if (source[at] === '\\') at += 1;
    else if (source[at] === ']') return at;
  }
  return source.length;
}
