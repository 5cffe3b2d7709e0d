import type { Raw } from './shellWords';

/** Functions of a script that it calls itself, and the statements around them. */
export interface Functions {
  readonly bodies: ReadonlyMap<string, readonly (readonly Raw[])[]>;
  readonly rest: readonly (readonly Raw[])[];
}

type Statement = readonly Raw[];

const text = (raw: Raw | undefined): string => raw?.text.text ?? '';

/**
 * Takes out functions that the script calls, whose statements run where the call stands. Those that only someone else calls
 * stay where they are.
 */
export function calledFunctions(statements: readonly Statement[]): Functions {
  const found = definitions(statements);
  const heads = new Set(
    statements.flatMap((words, i) => (found.some(({ head }) => head === i) ? [] : headsOf(words))),
  );
  const bodies = new Map<string, readonly Statement[]>();
  const inside = new Set<number>();
  for (const { name, head, until, body } of found) {
    if (!heads.has(name) || inside.has(head)) continue;
    bodies.set(name, body);
    for (let i = head; i <= until; i++) inside.add(i);
  }
  return { bodies, rest: statements.filter((_, i) => !inside.has(i)) };
}

interface Definition {
  readonly name: string;
  /** The statements with its name and with its closing brace. */
  readonly head: number;
  readonly until: number;
  readonly body: readonly Statement[];
}

function definitions(statements: readonly Statement[]): Definition[] {
  const found: Definition[] = [];
  for (const [i, words] of statements.entries()) {
    const isNamed = text(words[0]) === 'function';
    const name = text(words[isNamed ? 1 : 0]);
    const behind = words.slice(isNamed ? 2 : 1);
    const isOpened = behind.length === 0 || (isNamed && text(behind[0]) === '{');
    if (!isOpened || !/^[A-Za-z_][\w-]*$/.test(name)) continue;
    const body = behind.length > 0 ? [behind, ...statements.slice(i + 1)] : statements.slice(i + 1);
    const length = text(body[0]?.[0]) === '{' ? closing(body) : null;
    if (length === null) continue;
    const statementsOf = body.slice(0, length).map((one, at) => (at === 0 ? one.slice(1) : one));
    found.push({ name, head: i, until: i + length + (behind.length > 0 ? 0 : 1), body: statementsOf });
  }
  return found;
}

/** The number of statements before the brace that closes the one at their start. */
function closing(statements: readonly Statement[]): number | null {
  let depth = 0;
  for (const [i, words] of statements.entries()) {
    if (text(words[0]) === '{' || text(words.at(-1)) === '{') depth += 1;
    if (text(words[0]) === '}') depth -= 1;
    if (depth === 0) return i;
  }
  return null;
}

const LEADS = new Set(['then', 'else', 'do', 'if', 'elif', 'while', '!', '{', 'time', 'nohup']);

/** The command of a statement, behind words and assignments that lead to it. */
function headsOf(words: Statement): readonly string[] {
  const at = words.findIndex(word => !LEADS.has(text(word)) && !/^[A-Za-z_]\w*=/.test(text(word)));
  return at < 0 ? [] : [text(words[at])];
}
