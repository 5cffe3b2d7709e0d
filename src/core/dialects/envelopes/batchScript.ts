import type { Entry, MapNode, ScalarNode, YamlFile } from '../../yaml/node';
import { ownOf } from '../../yaml/tables';
import { SHELL, SHELL_FILE, STARTS } from '../command/programs';

/** The key of a job's options, as a YAML file would have them. */
export const SBATCH = 'sbatch';

/** Short options of sbatch and their long names (sbatch(1), Slurm 24.05). */
const SHORT: Readonly<Record<string, string>> = {
  N: 'nodes',
  G: 'gpus',
  n: 'ntasks',
  c: 'cpus-per-task',
  J: 'job-name',
  p: 'partition',
  C: 'constraint',
  t: 'time',
  A: 'account',
  a: 'array',
  o: 'output',
  e: 'error',
};

/** Lines that sbatch reads: not `##SBATCH`, which is a comment, and not after the first command. */
const LINE = /^#SBATCH[ \t]+([^#\n]*)/;
/** An option with its value; a line may have several. */
const OPTION =
  /(?:^|[ \t])(?:--([a-z][\w-]*)(?:[= \t]+(?!-)|(?=[ \t]|$))|-([A-Za-z])[= \t]*)([^ \t-][^ \t]*)?/g;

/** True for a shell script with sbatch options, by its first lines. */
const isBatchScript = (text: string): boolean =>
  text.startsWith('#!') && /^#SBATCH[ \t]+-/m.test(text.slice(0, 20_000));

/** The key of a document for a script without options. */
export const SCRIPT = 'script';

/** True for a shell script that starts something, run by a batch system or by hand: by its name, else by its first line. */
export const isScript = (text: string, path = ''): boolean =>
  isBatchScript(text) || ((SHELL_FILE.test(path) || SHELL.test(text.slice(0, 20_000))) && STARTS.test(text));

/** A script as a document: its sbatch options, if any. Its commands stay text. */
export function readScript(text: string): YamlFile {
  if (isBatchScript(text)) return readBatchScript(text);
  const span = { start: 0, end: text.length };
  const inner: MapNode = { kind: 'map', entries: [], flow: false, tag: null, span, anchor: null };
  const keySpan = { start: 0, end: 0 };
  const root: MapNode = {
    ...inner,
    tag: SCRIPT,
    entries: [{ key: SCRIPT, keySpan, value: inner, merged: false }],
  };
  return { text, documents: [{ index: 0, root, span, sharedAnchors: new Set() }], problems: [] };
}

/** The options of a batch script as one document, with their positions in the script. Its commands stay text. */
export function readBatchScript(text: string): YamlFile {
  const entries: Entry[] = [];
  let at = 0;
  for (const line of text.split('\n')) {
    const options = LINE.exec(line)?.[1];
    if (options !== undefined) {
      const start = at + line.indexOf(options);
      for (const match of options.matchAll(OPTION)) add(entries, match, start + match.index);
    } else if (/^\s*[^#\s]/.test(line)) break;
    at += line.length + 1;
  }
  const span = { start: 0, end: text.length };
  const options: MapNode = { kind: 'map', entries, flow: false, tag: null, span, anchor: null };
  const keySpan = entries[0]?.keySpan ?? { start: 0, end: 0 };
  const root: MapNode = { ...options, entries: [{ key: SBATCH, keySpan, value: options, merged: false }] };
  return { text, documents: [{ index: 0, root, span, sharedAnchors: new Set() }], problems: [] };
}

function add(entries: Entry[], match: RegExpMatchArray, at: number): void {
  const [line, long, short = '', value = ''] = match;
  const key = long ?? ownOf(SHORT, short) ?? short;
  const keyStart = at + line.indexOf(long === undefined ? `-${short}` : `--${long}`);
  const keySpan = { start: keyStart, end: keyStart + (long === undefined ? 2 : long.length + 2) };
  const start = value === '' ? keySpan.end : at + line.indexOf(value, keySpan.end - at);
  const node: ScalarNode = {
    kind: 'scalar',
    value: value === '' ? true : /^\d+$/.test(value) ? Number(value) : value,
    source: value,
    style: 'plain',
    opaque: value.includes('$') ? 'interpolation' : null,
    span: { start, end: start + value.length },
    anchor: null,
  };
  const entry = { key, keySpan, value: node, merged: false };
  const before = entries.findIndex(one => one.key === key);
  if (before >= 0) entries[before] = entry;
  else entries.push(entry);
}
