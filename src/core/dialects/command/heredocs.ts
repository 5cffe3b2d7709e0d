import { joined, placed, slice } from './located';
import type { Raw } from './shellWords';
import type { Located } from '../../text/located';

/** Contents of heredocs. */
export interface Heredocs {
  /** By the variable that they fill: `read -r -d '' NAME <<EOF`. */
  readonly filled: ReadonlyMap<string, Located>;
  /** By the word that replaced them: `python - <<EOF` is `python -c CONTENT`. */
  readonly programs: ReadonlyMap<string, Raw>;
  /** By the name of the file that they are written to: `cat > train.sh <<EOF`. */
  readonly written: ReadonlyMap<string, Raw>;
}

const OPENS = /<<-?\s*(['"]?)(\w+)['"]?/;
/** `cat > FILE`, `tee FILE`, before or behind the sign. */
const WRITES =
  /(?:>\s{0,9}|\btee\s(?:-a\s)?\s{0,9})["']?(?:[^\s"'<>|;&]{0,200}\/)?([\w.-]{1,100}\.(?:sh|bash|sbatch|slurm|job|py|ya?ml|json|toml))\b/;
const READS = /\bread\b.*\s([A-Za-z_]\w*)\s*$/;
/** A shell, or a Python without a program of its own, which reads it from its input: `python3 -u - ARGUMENTS`. */
const RUNS =
  /(?:^|[\s/;&|])(?:(?:ba|da|z)?sh(?: -[a-z]{1,20}){0,9}|sbatch(?: -[^\s<>|;&]{1,200}){0,30}|python[\d.]{0,8}(?: -[a-zA-Z]{1,20}){0,9}(?: {1,4}-(?= |$).{0,400})?)$/;

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
  const written = new Map<string, Raw>();
  const kept: Located[] = [];
  let open: Open | null = null;
  let at = 0;
  for (const line of script.text.split('\n')) {
    const next = Math.min(script.text.length, at + line.length + 1);
    const match: RegExpExecArray | null = open === null ? OPENS.exec(line) : null;
    if (match) {
      const run = RUNS.exec(line.slice(0, match.index).trimEnd());
      const sign = `\u0002${programs.size}`;
      kept.push(...(run ? running(slice(script, at, next), match, run, sign) : [slice(script, at, next)]));
      const name = READS.exec(line.slice(0, match.index))?.[1];
      const file = run ? undefined : WRITES.exec(line)?.[1];
      const keep = (text: Located): void => {
        if (file !== undefined) written.set(file, { text, literal: match[1] !== '', quoted: true });
        if (run) programs.set(sign, { text, literal: match[1] !== '', quoted: true });
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
  return { rest: joined(kept), filled, programs, written };
}

/** The command with its program as a word: `python -c SIGN`. Arguments of the program are left out. */
function running(line: Located, match: RegExpExecArray, run: RegExpExecArray, sign: string): Located[] {
  const lead = run[0].search(/ -(?= |$)/);
  const end = run.index + (lead < 0 ? run[0].length : lead);
  const behind = slice(line, match.index + match[0].length, line.text.length);
  const option = /(?:^|[\s/;&|])sbatch(?: |$)/.test(run[0]) ? '--wrap' : '-c';
  return [slice(line, 0, end), placed(` ${option} ${sign}`, line.at[end] ?? 0), behind];
}
