import { joined, placed, slice } from './located';
import type { Raw } from './shellWords';
import type { Located } from '../../text/located';

/** The content of a heredoc; `literal`: nothing in it is substituted. */
export interface Heredoc {
  readonly text: Located;
  readonly literal: boolean;
}

/** Contents of heredocs. */
export interface Heredocs {
  /** By the variable that they fill: `read -r -d '' NAME <<EOF`. */
  readonly filled: ReadonlyMap<string, Located>;
  /** By the word that replaced them: `python - <<EOF` is `python -c CONTENT`. */
  readonly programs: ReadonlyMap<string, Raw>;
  /** Those that a command writes to a file, by the word that replaced them: `cat > a.yaml SIGN`. */
  readonly writes: ReadonlyMap<string, Heredoc>;
  /** Scripts that it writes, by their names: `cat > train.sh <<EOF`. */
  readonly scripts: ReadonlyMap<string, Raw>;
}

/** `<<<` gives a text, no heredoc. */
const OPENS = /(?<!<)<<-?\s*(['"]?)(\w+)['"]?/;

/** What opens a heredoc in a line; `<<` in a comment or in arithmetic (`$((RANDOM<<15))`) does not. */
function openingIn(line: string): RegExpExecArray | null {
  const match = OPENS.exec(line);
  if (!match) return null;
  const lead = line.slice(0, match.index);
  return /^\s*#/.test(lead) || lead.lastIndexOf('((') > lead.lastIndexOf('))') ? null : match;
}

/** A script as the file that a command writes, before or behind the sign. */
const SCRIPT =
  /(?:>\s{0,9}|\btee\s(?:-a\s)?\s{0,9})["']?(?:[^\s"'<>|;&]{0,200}\/)?([\w.-]{1,100}\.(?:sh|bash|sbatch|slurm|job))\b/;
const READS = /\bread\b.*\s([A-Za-z_]\w*)\s*$/;
/**
 * A shell, or a Python without a program of its own, which reads it from its input: `python3 -u - ARGUMENTS`; also that of
 * a host (options with a value: ssh(1)).
 */
const RUNS =
  /(?:^|[\s/;&|])(?:ssh(?: -[46AaCfGgKkMNnqsTtVvXxYy]{1,9}| -[BbcDEeFIiJLlmOopQRSWw] ?[^\s<>|;&]{1,200}){0,20} [^\s<>|;&-][^\s<>|;&]{0,100}(?: (['"]?)(?:ba|z)?sh[ \w-]{0,20}\1)?|(?:ba|da|z)?sh(?: -[a-z]{1,20}){0,9}|sbatch(?: -[^\s<>|;&]{1,200}){0,30}|python[\d.]{0,8}(?: -[a-zA-Z]{1,20}){0,9}(?: {1,4}-(?= |$).{0,400})?)$/;

/** A command that writes its input to a file: `cat > a.yaml <<EOF`, `sudo tee a.yaml <<EOF`. */
const WRITES = /(?:^|[\s;&|({])(?:cat|tee)(?=\s|$)/;

interface Open {
  readonly word: string;
  /** Where its content begins. */
  readonly from: number;
  keep(content: Located): void;
}

/** Characters of a script that are read, in whole lines. Longer ones carry data after their commands. */
const MOST_SCRIPT = 2 ** 17;

function readable(script: Located): Located {
  const { text } = script;
  if (text.length <= MOST_SCRIPT) return script;
  return slice(script, 0, text.lastIndexOf('\n', MOST_SCRIPT) + 1 || MOST_SCRIPT);
}

/** Removes heredocs, whose content is data and not commands, unless a command runs it. */
export function withoutHeredocs(all: Located): { readonly rest: Located } & Heredocs {
  const script = readable(all);
  const filled = new Map<string, Located>();
  const programs = new Map<string, Raw>();
  const writes = new Map<string, Heredoc>();
  const scripts = new Map<string, Raw>();
  const kept: Located[] = [];
  let open: Open | null = null;
  let at = 0;
  for (const line of script.text.split('\n')) {
    const next = Math.min(script.text.length, at + line.length + 1);
    const match: RegExpExecArray | null = open === null ? openingIn(line) : null;
    if (match) {
      const run = RUNS.exec(line.slice(0, match.index).trimEnd());
      const lead = line.slice(0, match.index);
      const isWritten = run === null && WRITES.test(lead);
      const sign = isWritten ? `\u0003${writes.size}` : `\u0002${programs.size}`;
      const whole = slice(script, at, next);
      kept.push(
        ...(run ? running(whole, match, run, sign) : isWritten ? writing(whole, match, sign) : [whole]),
      );
      const name = READS.exec(line.slice(0, match.index))?.[1];
      const file = run ? undefined : SCRIPT.exec(line)?.[1];
      const keep = (text: Located): void => {
        const content = { text, literal: match[1] !== '' };
        if (isWritten) writes.set(sign, content);
        if (file !== undefined) scripts.set(file, { ...content, quoted: true });
        if (run) programs.set(sign, { ...content, quoted: true });
        else if (name !== undefined) filled.set(name, text);
      };
      open = { word: match[2] ?? '', from: next, keep };
    } else if (open === null) kept.push(slice(script, at, next));
    else if (line.trim() === open.word) {
      open.keep(slice(script, open.from, at));
      open = null;
    }
    at = next;
  }
  return { rest: joined(kept), filled, programs, writes, scripts };
}

/** The command with its input as a word. */
const writing = (line: Located, match: RegExpExecArray, sign: string): Located[] => [
  slice(line, 0, match.index),
  placed(` ${sign} `, line.at[match.index] ?? 0),
  slice(line, match.index + match[0].length, line.text.length),
];

/** The command with its program as a word: `python -c SIGN`. Arguments of the program are left out. */
function running(line: Located, match: RegExpExecArray, run: RegExpExecArray, sign: string): Located[] {
  const lead = run[0].search(/ -(?= |$)/);
  const end = run.index + (lead < 0 ? run[0].length : lead);
  const behind = slice(line, match.index + match[0].length, line.text.length);
  const option = /(?:^|[\s/;&|])sbatch(?: |$)/.test(run[0]) ? '--wrap' : '-c';
  return [slice(line, 0, end), placed(` ${option} ${sign}`, line.at[end] ?? 0), behind];
}
