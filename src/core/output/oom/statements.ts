const FRAME = /^\s*File "([^"\n]*)", line \d+, in (\S+)/;
/** Python 3.11 and newer mark what of a line ran, where that is not all of it. */
const MARKS = /^\s*[~^]+\s*$/;
/** Where the optimizers of torch, DeepSpeed and accelerate are, and what wraps their step. */
const STEP_FRAME = /optim|lr_scheduler|deepspeed|grad_scaler/;

/** A line that someone wrote is shorter; quotes that never close cost the square of it. */
const LONGEST = 2000;

interface Statement {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Statements of a line of Python; a semicolon in a text or behind a `#` parts nothing. */
function statementsOf(line: string): readonly Statement[] {
  const parts = /(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|#.*|[^;"'#]|["'])+/g;
  return [...line.matchAll(parts)].map(({ index, 0: text }) => ({
    from: index,
    to: index + text.length,
    text,
  }));
}

/** Those that a traceback leaves possible: by the marks below the line, else by the frame that comes next. */
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
  [...text.matchAll(/(\w+)\(/g)].map(([, name = '']) => name);

/** What is called in Python has its own frame: a step or a backward that has none was not what ran. */
function called(statements: readonly Statement[], next: string): readonly Statement[] {
  const [, path = '', name = ''] = FRAME.exec(next) ?? [];
  const byName = statements.filter(({ text }) => namesIn(text).includes(name));
  if (byName.length > 0) return byName;
  if (STEP_FRAME.test(path)) return statements;
  return statements.filter(({ text }) => !/\.(?:step|backward)\(/.test(text));
}

/**
 * The lines of a text, where those of a traceback with several statements have only what can have run. `loss.backward();
 * optimizer.step()` is both, and memory ran out in one.
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
