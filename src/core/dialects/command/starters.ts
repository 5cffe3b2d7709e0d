import type { Located } from '../../text/located';
import { slice } from './located';
import type { Raw } from './shellWords';

/** What has a word as written. */
interface Holder {
  readonly raw: Raw;
}

/** Commands that only start another one, with how. */
const STARTERS = new Set([
  'exec',
  'nohup',
  'nice',
  'time',
  'env',
  'command',
  'setsid',
  'sudo',
  'stdbuf',
  'timeout',
  'taskset',
  'numactl',
  'ionice',
]);
/** What they take before it: options, numbers and assignments. */
const OF_STARTER = /^(?:-|\d[\d,-]*[smhd]?$|\w+=|\$\{?\w+\}?$)/;
/** Of those that take no numbers, a variable is the command itself: `exec "$SERVER" …`. */
const PLAIN_STARTER = /^(?:exec|nohup|command|setsid|time)$/;
const OF_PLAIN = /^(?:-|\w+=)/;

/** Tools of environments, whose `run` starts the command behind it. */
const RUNS = /^(?:poetry|pipenv|uv|pdm|hatch|rye|pixi)$/;

/** Commands that hand the one behind `--` on to a cluster. */
const SUBMITS = /^ray job submit(?: |$)/;

/** The command that a command only starts: `exec vllm serve …`, `poetry run …`; itself if there is none. */
export function startedBy<T extends Holder>(words: readonly T[]): readonly T[] {
  const [starter = '', verb, first] = words.map(({ raw }) => raw.text.text);
  if (SUBMITS.test([starter, verb, first].join(' '))) {
    const end = words.findIndex(({ raw }) => raw.text.text === '--');
    return end < 0 ? words : startedBy(words.slice(end + 1));
  }
  if (RUNS.test(starter) && verb === 'run' && first?.startsWith('-') === false) {
    return startedBy(words.slice(2));
  }
  if (!STARTERS.has(starter)) return words;
  const own = PLAIN_STARTER.test(starter) ? OF_PLAIN : OF_STARTER;
  const at = words.findIndex(({ raw }, i) => i > 0 && !own.test(raw.text.text));
  const isCommand = /^[\w./~${}-]+$/.test(words[at]?.raw.text.text ?? '');
  return at > 0 && isCommand ? startedBy(words.slice(at)) : words;
}

/** What takes a command as one text: `sbatch --wrap '…'`, `tmux new -d '…'`. */
const TAKES_TEXT = /^(?:sbatch|tmux)$/;
const TEXT_OPTION = /^--wrap(?==|$)=?/;

/** The command that a tool takes as one of its words. */
function textIn(words: readonly Holder[]): Located | null {
  const [tool = '', ...rest] = words.map(({ raw }) => raw.text);
  if (typeof tool === 'string' || !TAKES_TEXT.test(tool.text)) return null;
  const at = rest.findIndex(({ text }) => TEXT_OPTION.test(text));
  const option = TEXT_OPTION.exec(rest[at]?.text ?? '')?.[0] ?? '';
  if (option !== '') {
    const word = option === '--wrap' ? rest[at + 1] : rest[at];
    return word ? slice(word, option === '--wrap' ? 0 : option.length, word.text.length) : null;
  }
  return tool.text === 'tmux' ? (rest.findLast(({ text }) => /\s/.test(text)) ?? null) : null;
}

/** The script in a command: `bash -c '…'`, `bash -e -c '…'`. */
export function scriptIn(words: readonly Holder[]): Located | null {
  const taken = textIn(words);
  if (taken) return taken;
  const at = words.findIndex(({ raw }) => /(?:^|\/)(?:ba|z|da)?sh$/.test(raw.text.text));
  if (at < 0) return null;
  const behind = words.slice(at + 1);
  const first = behind.findIndex(({ raw }) => !/^-[a-bd-z]+$/.test(raw.text.text));
  if (!/^-\w*c$/.test(behind[first]?.raw.text.text ?? '')) return null;
  return behind[first + 1]?.raw.text ?? null;
}
