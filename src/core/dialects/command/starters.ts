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

/** A tool that takes a command as one text. */
interface Taker {
  /** The first words of its line. */
  readonly tool: RegExp;
  /** The option whose value it is; without one, it is the last word with blanks. */
  readonly option?: RegExp;
}

const TAKERS: readonly Taker[] = [
  { tool: /^sbatch /, option: /^--wrap(?:=|$)/ },
  { tool: /^gcloud .*\bssh /, option: /^--command(?:=|$)/ },
  { tool: /^(?:script|su) /, option: /^(?:-\w*c|--command)(?:=|$)/ },
  { tool: /^(?:tmux|ssh|pdsh|bsub|parallel|sky (?:launch|exec)) / },
];

/** The command that a tool takes as one of its words. */
function textIn(words: readonly Holder[]): Located | null {
  const texts = words.map(({ raw }) => raw.text);
  const line = texts.map(({ text }) => text).join(' ');
  const taker = TAKERS.find(({ tool }) => tool.test(line));
  if (!taker) return null;
  const { option } = taker;
  if (!option) return texts.findLast(({ text }, i) => i > 0 && /\S\s+\S/.test(text)) ?? null;
  const at = texts.findIndex(({ text }) => option.test(text));
  const named = texts[at];
  const equals = named?.text.indexOf('=') ?? -1;
  if (!named || equals < 0) return at < 0 ? null : (texts[at + 1] ?? null);
  return slice(named, equals + 1, named.text.length);
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
