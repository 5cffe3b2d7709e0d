import type { Located } from '../../text/located';
import { LocatedText } from './locatedText';

const MAKE_VARIABLE = /^(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*(?:\?|:{1,3}|\+)?=[ \t]*/;
const JUST_VARIABLE = /^(?:export[ \t]+)?([A-Za-z_][\w-]*)[ \t]*:=[ \t]*/;
/** `recipe name="default":` */
const JUST_RECIPE =
  /^@?[A-Za-z_][\w-]*((?:[ \t]+[+*$]?[A-Za-z_][\w-]*(?:=(?:"[^"\n]*"|'[^'\n]*'|[^\s:"']+))?)*)[ \t]*:(?!=)/;
const PARAMETER = /(?<![\w-])([A-Za-z_][\w-]*)=(?:"([^"\n]*)"|'([^'\n]*)'|([^\s:"']+))/g;

/** The recipes of a Makefile as one shell script: variables of make are the shell's. */
export function makeRecipes(text: string): Located {
  const script = new LocatedText(text);
  let isRecipe = false;
  eachLine(text, (line, at) => {
    const isContinued = isRecipe && script.endsWithBackslash();
    if (line.startsWith('\t')) {
      const [lead] = /^\t+[@+-]*[ \t]*/.exec(line) ?? [''];
      isRecipe = true;
      fill(script, line, isContinued ? 1 : lead.length, at, 'make');
      return;
    }
    isRecipe = false;
    assigned(script, MAKE_VARIABLE.exec(line), line, at, 'make');
  });
  return script.done();
}

/** The recipes of a justfile as one shell script; defaults of parameters are variables of it. */
export function justRecipes(text: string): Located {
  const script = new LocatedText(text);
  eachLine(text, (line, at) => {
    if (/^[ \t]+\S/.test(line)) {
      const [lead] = /^[ \t]+[@-]{0,2}/.exec(line) ?? [''];
      fill(script, line, lead.length, at, 'just');
      return;
    }
    const recipe = JUST_RECIPE.exec(line);
    if (!recipe) {
      assigned(script, JUST_VARIABLE.exec(line), line, at, 'just');
      return;
    }
    const [, parameters = ''] = recipe;
    for (const match of parameters.matchAll(PARAMETER)) {
      const [whole, name = '', ...values] = match;
      const value = values.join('');
      const start = at + line.indexOf(parameters) + match.index + whole.lastIndexOf(value);
      script
        .add(`${shellName(name)}="`, start)
        .take(start, start + value.length)
        .add('"\n', start);
    }
  });
  return script.done();
}

const shellName = (name: string): string => name.replaceAll('-', '_');

function eachLine(text: string, read: (line: string, at: number) => void): void {
  let at = 0;
  for (const line of text.split('\n')) {
    read(line, at);
    at += line.length + 1;
  }
}

/** A variable; its value may contain others, but no quotes inside. */
function assigned(
  script: LocatedText,
  match: RegExpExecArray | null,
  line: string,
  at: number,
  kind: 'make' | 'just',
): void {
  const [whole, name = ''] = match ?? [];
  if (whole === undefined) return;
  const stated = line.slice(whole.length);
  const comment = stated.search(/[ \t]#/);
  const rest = (comment < 0 ? stated : stated.slice(0, comment)).trimEnd();
  const quote = kind === 'just' && /^(["']).*\1$/.test(rest) ? 1 : 0;
  const value = rest.slice(quote, rest.length - quote);
  if (/["'`\\]/.test(value)) return;
  script.add(`${shellName(name)}="`, at + whole.length);
  fill(script, line.slice(0, whole.length + quote + value.length), whole.length + quote, at, kind, false);
  script.add('"\n', at + whole.length + quote + value.length);
}

const MAKE_USE = /\$\(([A-Za-z_]\w*)\)|\$\$/g;
const JUST_USE = /\{\{[ \t]*([A-Za-z_][\w-]*)[ \t]*\}\}/g;

/** A line from an offset, with uses of variables as the shell has them. */
function fill(
  script: LocatedText,
  line: string,
  from: number,
  at: number,
  kind: 'make' | 'just',
  isLine = true,
): void {
  let done = from;
  for (const match of line.matchAll(kind === 'make' ? MAKE_USE : JUST_USE)) {
    if (match.index < from) continue;
    const [whole, name] = match;
    script.take(at + done, at + match.index);
    script.add(name === undefined ? '$' : `\${${shellName(name)}}`, at + match.index);
    done = match.index + whole.length;
  }
  script.take(at + done, at + line.length);
  if (isLine) script.add('\n', at + line.length);
}
