/** A pattern of a stranger's file. */
export interface Pattern {
  test(text: string): boolean;
}

/** Matches nothing. */
const NOTHING: Pattern = { test: () => false };

/** People write a few dozen characters. */
const MOST_CHARACTERS = 2000;
/** Steps that the engine may take at worst: some tenths of a second. */
const MOST_STEPS = 1e8;
const MOST_TIMES = 1000;
/** So often a group may stand one behind the other, whatever is in it. */
const FEW_TIMES = 3;

/**
 * A regular expression that a file gives; null where it is none, or where a repeat holds another repeat or a choice, which
 * can take longer than anyone waits. Of a text that is too long for it only the beginning counts.
 */
export function filePattern(source: string, flags = ''): Pattern | null {
  const repeats = repeatsOf(source);
  if (repeats === null) return null;
  try {
    const pattern = new RegExp(source, flags);
    // A search begins at every character, which is one more loop around all repeats.
    const loops = repeats === 0 ? 0 : repeats + (source.startsWith('^') ? 0 : 1);
    const most = loops === 0 ? Infinity : (MOST_STEPS * factorial(loops)) ** (1 / loops);
    return { test: text => pattern.test(text.length <= most ? text : text.slice(0, most)) };
  } catch {
    return null;
  }
}

/** The same; one that is none finds nothing. Whoever checks the file says so. */
export const patternFrom = (source: string, flags = ''): Pattern => filePattern(source, flags) ?? NOTHING;

/** So many ways there are to order what loops stop at, of which one is looked at. */
const factorial = (n: number): number => (n <= 1 ? 1 : n * factorial(n - 1));

/** How many open-ended repeats a pattern has; null where they are within each other, or too many times one. */
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

/** What a group can be read in several ways by. */
interface Group {
  branches: boolean;
  repeats: number;
}

/** Takes a choice, the end of a group or a quantifier into account; false where it cannot be bounded. */
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

/** How often the quantifier at a place repeats at most; 0 where there is none. */
function timesAt(source: string, at: number): number {
  const character = source[at];
  if (character === '*' || character === '+') return Infinity;
  // `(?:` begins a group, and `a*?` is a lazy repeat.
  if (character === '?') return /[(*+?}]/.test(source[at - 1] ?? '(') ? 0 : 1;
  const counted = character === '{' ? /^\{(\d+)(,?)(\d*)\}/.exec(source.slice(at, at + 16)) : null;
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
