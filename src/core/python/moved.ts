import type { Statement } from './syntax';

/**
 * Statements of a parsed program as they stand in another text: with new functions and classes, and if they stand
 * further on, with new objects and spans throughout.
 */
export const moved = (statements: readonly Statement[], by: number): readonly Statement[] =>
  by === 0 ? statements.map(copied) : shifted(statements, by);

/** What readers keep of a statement or an expression is the same where it stands at the same place. */
function copied(statement: Statement): Statement {
  switch (statement.kind) {
    case 'function':
    case 'class':
    case 'loop':
      return { ...statement, body: statement.body.map(copied) };
    case 'block':
      return { ...statement, body: statement.body.map(copied), perhaps: statement.perhaps.map(copied) };
    case 'branches':
      return {
        ...statement,
        branches: statement.branches.map(branch => ({ ...branch, body: branch.body.map(copied) })),
      };
    case 'import':
    case 'assign':
    case 'expression':
    case 'return':
      return statement;
  }
}

function shifted<Part>(part: Part, by: number): Part;
function shifted(part: unknown, by: number): unknown {
  if (Array.isArray(part)) return part.map((one: unknown) => shifted(one, by));
  if (typeof part !== 'object' || part === null) return part;
  if ('start' in part && 'end' in part && typeof part.start === 'number' && typeof part.end === 'number') {
    return { start: part.start + by, end: part.end + by };
  }
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(part)) {
    copy[key] = typeof value === 'object' ? shifted(value, by) : value;
  }
  return copy;
}
