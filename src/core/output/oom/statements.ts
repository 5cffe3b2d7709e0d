const FRAME = /^\s*File "([^"\n]*)", line \d+, in (\S+)/;
/** Python 3.11 and newer underline the part of a line that ran, unless it is the whole line. */
const MARKS = /^\s*[~^]+\s*$/;
/** Paths of the optimizers of torch, DeepSpeed and accelerate, and of the wrappers of their step. */
const STEP_FRAME = /optim|lr_scheduler|deepspeed|grad_scaler/;

/** Hand-written lines are shorter; unclosed quotes cost quadratic time. */
const LONGEST = 2000;

interface Statement {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** The statements of a line of Python; ignores semicolons in strings and comments. */
function statementsOf(line: string): readonly Statement[] {
  const parts = /(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|#.*|[^;"'#]|["'])+/g;
  return [...line.matchAll(parts)].map(({ index, 0: text }) => ({
    from: index,
    to: index + text.length,
    text,
  }));
}

/** The statements that can have run: by the marks below the line, else by the next frame. */
function ranOf(line: string, below: string, next: string): string {
  const statements = statementsOf(line);
  if (statements.length < 2) return line;
  const kept = MARKS.test(below) ? marked(statements, below) : called(statements, next);
  return kept.map(({ text }) => text).join(';');
}

function marked(statements: readonly Statement[], marks: string): readonly Statement[] {
  const from = marks.search(/[~^]/);
  const to = marks.trimEnd().length;
  return statements.filter(statement => statement.from < to && from < statement.to);
}

const namesIn = (text: string): readonly string[] =>
  [...text.matchAll(/\b(\w+)\(/g)].map(([, name = '']) => name);

/** Python functions have a separate frame: a step or a backward without one did not run. */
function called(statements: readonly Statement[], next: string): readonly Statement[] {
  const [, path = '', name = ''] = FRAME.exec(next) ?? [];
  const byName = statements.filter(({ text }) => namesIn(text).includes(name));
  if (byName.length > 0) return byName;
  if (STEP_FRAME.test(path)) return statements;
  return statements.filter(({ text }) => !/\.(?:step|backward)\(/.test(text));
}

/**
 * The text with only the statements that can have run, for traceback lines with several. In `loss.backward();
 * optimizer.step()` only one ran out of memory.
 */
export function ranStatements(text: string): string {
  if (!text.includes(';')) return text;
  const lines = text.split('\n');
  return lines
    .map((line, at) => {
      const isSource = line.includes(';') && line.length <= LONGEST && FRAME.test(lines[at - 1] ?? '');
      if (!isSource) return line;
      const below = lines[at + 1] ?? '';
      return ranOf(line, below, MARKS.test(below) ? '' : below);
    })
    .join('\n');
}
