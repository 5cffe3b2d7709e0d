import { basename } from '../../text/paths';

const MARKDOWN = /^readme[\w.-]*\.(?:md|markdown)$/i;
const MAKEFILE = /^(?:gnu)?makefile$|^justfile$/i;

/** True for a file with documented commands: a README, a Makefile. */
export const isWritten = (path: string): boolean =>
  MARKDOWN.test(basename(path)) || MAKEFILE.test(basename(path));

/** The shortest start of a shell script. */
const SHEBANG = '#!sh';

/**
 * The commands of such a file as a shell script at the same positions, with everything else blank. Null if there
 * are none.
 */
export function commandsIn(path: string, text: string): string | null {
  const lines = MARKDOWN.test(basename(path)) ? fenced(text.split('\n')) : recipes(text.split('\n'));
  const script = lines.join('\n');
  if (script.trim() === '') return null;
  const [first = ''] = lines;
  return first.length >= SHEBANG.length ? SHEBANG + script.slice(SHEBANG.length) : script;
}

const blank = (line: string): string => ' '.repeat(line.length);

/** Shell code blocks, or blocks without a language; prompts are not part of a command. */
const FENCE = /^\s*(`{3,}|~{3,})\s*(\S*)/;
const SHELLS: ReadonlySet<string> = new Set(['', 'sh', 'bash', 'shell', 'zsh', 'console', 'shell-session']);

function fenced(lines: readonly string[]): string[] {
  let open: { readonly mark: string; readonly isShell: boolean } | null = null;
  return lines.map(line => {
    const [, mark = '', language = ''] = FENCE.exec(line) ?? [];
    if (mark !== '' && (open === null || (line.trim() === mark && mark.startsWith(open.mark)))) {
      open = open === null ? { mark, isShell: SHELLS.has(language.toLowerCase()) } : null;
      return blank(line);
    }
    return open?.isShell ? line.replace(/^(\s*)\$ /, '$1  ') : blank(line);
  });
}

/** Lines of a rule begin with a tab; leading `@` and `-` belong to make. */
const recipes = (lines: readonly string[]): string[] =>
  lines.map(line =>
    /^(?:\t| {2,}\S)/.test(line)
      ? line.replace(/^(\s*)([@-]+)/, (_, space: string, own: string) => space + blank(own))
      : blank(line),
  );
