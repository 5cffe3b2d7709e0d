import { basename } from '../../text/paths';
import { askedByHeader } from './batchHeaders';
import { configAt } from '../command/configList';
import { runsOfJob } from '../command/jobs';
import { joined, placed, whole } from '../command/located';
import type { Located } from '../../text/located';
import { withFixed } from '../command/tree';
import { writtenLayer } from '../command/writtenFiles';
import { scriptOf } from '../command/shell';
import { withoutSrun } from '../command/srun';
import { VISIBLE } from '../command/word';
import type { Script } from '../command/shell';
import type { Command, Word } from '../command/word';
import type { Variables } from '../command/shellValues';
import type { Composition, Layer, NearbyFiles } from '../engine/compose';
import { kindOf } from './carrier';
import { carriedCommands } from './carriers';
import { fencedProgram } from './fenced';
import type { Launched } from '../../spec/runSpec';

/** Scripts source one or two files of settings. */
const MOST_SOURCED = 4;

/** What is read of a script, or of a file that carries commands. */
type Commands = Pick<Script, 'always' | 'perhaps'> & Partial<Pick<Script, 'handed' | 'written'>>;

/** A script's commands, with the variables that the files it sources set known from its start. */
async function scriptWithSourced(
  opened: Layer,
  { known, given }: Pick<Before, 'known' | 'given'>,
  files: NearbyFiles,
): Promise<{ readonly script: Commands; readonly sourced: readonly Layer[]; readonly variables: Variables }> {
  const text = whole(opened.yaml.text);
  const read = (variables: Variables): Commands =>
    carriedCommands(opened.path, opened.yaml.text, variables) ??
    scriptOf(text, variables, 'shell', given ?? null);
  const script = read(known);
  let variables = known;
  const sourced: Layer[] = [];
  for (const name of sourcedBy(script)) {
    const file =
      (await configAt(name, opened.path, files)) ?? (await configAt(basename(name), opened.path, files));
    if (!file) continue;
    sourced.push(file);
    variables = scriptOf(whole(file.yaml.text), variables).variables;
  }
  return { script: variables === known ? script : read(variables), sourced, variables };
}

/** `serve() {` and `function serve {`. */
const FUNCTION = /^[ \t]*(?:function[ \t]+([A-Za-z_][\w-]{0,80})|([A-Za-z_][\w-]{0,80})[ \t]*\(\))/gm;

/**
 * The text of a sourced file with the calls of its functions that a script makes behind it; null: it makes none. What the
 * script hands to a function stands in no place of that file.
 */
function withCalls({ yaml: { text } }: Layer, { always, perhaps }: Commands): Located | null {
  const functions = new Set([...text.matchAll(FUNCTION)].map(([, name, other]) => name ?? other));
  const calls = [...always, ...perhaps].filter(([first]) => functions.has(first?.text));
  if (calls.length === 0) return null;
  const lines = calls.slice(0, MOST_CALLS).map(words => words.map(asWord).join(' '));
  return joined([whole(text), placed(`\n${lines.join('\n')}\n`, text.length)]);
}

const MOST_CALLS = 20;

/** A word of a call, in another script; an open one is unknown there, too. */
const asWord = ({ text, open }: Word): string =>
  open ? '"$(unknown)"' : `'${text.replaceAll("'", String.raw`'\''`)}'`;

function sourcedBy({ always }: Commands): readonly string[] {
  const names = always.flatMap(([command, file]) => {
    const isSourced = (command?.text === 'source' || command?.text === '.') && file?.open === false;
    return isSourced && /\.(?:sh|bash|conf|env(?:\.\w+)?)$/.test(file.text) ? [file.text] : [];
  });
  return names.slice(0, MOST_SOURCED);
}

/** What is known of a script before it starts: its job, and variables that a batch system sets. */
interface Before {
  readonly name: string;
  readonly launched: Launched;
  readonly known: Variables;
  /** Its arguments, if another script starts it. */
  readonly given?: Command;
}

/** One run for each known program that a script starts. */
export const scriptRuns = (opened: Layer, files: NearbyFiles): Promise<readonly Composition[]> =>
  runsOfScript(opened, files, {
    name: '',
    launched: askedByHeader(opened.yaml.text),
    known: new Map(),
  });

/** Scripts that start scripts: one that asks for GPUs, and one that trains. */
const MOST_SCRIPTS = 2;

/** The runs of a script; if it starts none, those of the scripts that it starts. */
export async function runsOfScript(
  opened: Layer,
  files: NearbyFiles,
  before: Before,
  depth = 1,
): Promise<readonly Composition[]> {
  const { name } = before;
  const { script, sourced, variables } = await scriptWithSourced(opened, before, files);
  const started = await runsOfCommands(script, opened, files, before);
  const entered = await enteredRuns(opened, files);
  const runs = [...started, ...entered.map((run, i) => numbered(run, name, started.length + i))];
  if (runs.length > 0) return runs;
  for (const layer of sourced) {
    const text = withCalls(layer, script);
    const called = text ? await runsOfCommands(scriptOf(text, variables), layer, files, before) : [];
    const handed = [{ start: layer.yaml.text.length, end: layer.yaml.text.length }];
    if (called.length > 0) return called.map(run => withFixed(run, handed));
  }
  return depth >= MOST_SCRIPTS ? [] : startedRuns(script, opened, files, before, depth);
}

/** The runs of the scripts that a script starts. */
async function startedRuns(
  script: Commands,
  opened: Layer,
  files: NearbyFiles,
  before: Before,
  depth: number,
): Promise<readonly Composition[]> {
  const { name, known } = before;
  const found: Composition[] = [];
  const seen = new Set<string>();
  for (const command of [...script.always, ...script.perhaps]) {
    const line = command.map(one => one.text).join(' ');
    const inner = seen.has(line) || seen.size >= MOST_STARTED ? null : startedIn(withoutSrun(command));
    if (!inner) continue;
    seen.add(line);
    const layer = await configAt(inner.name, opened.path, files);
    const handed = new Map([...known, ...(script.handed?.get(command) ?? [])]);
    const next = { ...before, known: handed, given: inner.given };
    found.push(...(layer ? await runsOfScript(layer, files, next, depth + 1) : []));
  }
  return found.map((run, i) => numbered(run, name, i));
}

const numbered = (run: Composition, name: string, i: number): Composition =>
  i === 0 ? run : { ...run, name: `${name} ${i + 1}`.trim() };

/** The runs of the program in a Markdown text. */
async function enteredRuns(opened: Layer, files: NearbyFiles): Promise<readonly Composition[]> {
  if (kindOf(opened.path) !== 'markdown') return [];
  return (await files.programWithin?.(fencedProgram(opened.yaml.text), opened, false)) ?? [];
}

/** Scripts that one starts, each line once. */
const MOST_STARTED = 16;

/** The script that a command runs, with its arguments. */
export function startedIn(command: Command): { readonly name: string; readonly given: Command } | null {
  const name = scriptIn(command);
  if (name === null) return null;
  return { name, given: command.slice(command.findIndex(({ text }) => text === name) + 1) };
}

/** The runs that commands of a script start. */
async function runsOfCommands(
  script: Commands,
  opened: Layer,
  files: NearbyFiles,
  { name, launched }: Before,
): Promise<readonly Composition[]> {
  const { always: commands, perhaps } = script;
  const job = { name, image: '', commands, perhaps, environment: [], launched };
  files.keepWritten?.(written => {
    const file = script.written?.named(written) ?? null;
    return file && writtenLayer(file, written, opened);
  });
  const all = await runsOfJob(job, opened, files);
  return all.filter(({ dialect }) => dialect !== undefined).map(awaited);
}

/** A script waits for a training command to end; a server keeps running. */
const awaited = (run: Composition): Composition =>
  run.launched?.program === undefined ? run : { ...run, launched: { ...run.launched, isAwaited: true } };

/** `./train.sh`, `bash -x train.sh`: the script that a command runs. */
export function scriptIn(command: Command): string | null {
  const words = command.filter(({ text }) => !VISIBLE.test(text));
  const isShell = /^(?:\S*\/)?(?:ba|z|da)?sh$/.test(words[0]?.text ?? '');
  const word = words.find(({ text }, i) => !isShell || (i > 0 && !text.startsWith('-')));
  return word?.open === false && /\.(?:sh|bash)$/.test(word.text) ? word.text : null;
}
