import { basename } from '../../text/paths';
import { configAt } from '../command/configList';
import { runsOfJob } from '../command/jobs';
import { whole } from '../command/located';
import { scriptOf } from '../command/shell';
import { VISIBLE } from '../command/word';
import type { Script } from '../command/shell';
import type { Command } from '../command/word';
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
): Promise<Commands> {
  const text = whole(opened.yaml.text);
  const read = (variables: Variables): Commands =>
    carriedCommands(opened.path, opened.yaml.text, variables) ??
    scriptOf(text, variables, 'shell', given ?? null);
  const script = read(known);
  let variables = known;
  for (const name of sourcedBy(script)) {
    const file =
      (await configAt(name, opened.path, files)) ?? (await configAt(basename(name), opened.path, files));
    if (file) variables = scriptOf(whole(file.yaml.text), variables).variables;
  }
  return variables === known ? script : read(variables);
}

function sourcedBy({ always }: Commands): readonly string[] {
  const names = always.flatMap(([command, file]) => {
    const isSourced = (command?.text === 'source' || command?.text === '.') && file?.open === false;
    return isSourced && /\.(?:sh|bash|env|conf)$/.test(file.text) ? [file.text] : [];
  });
  return names.slice(0, MOST_SOURCED);
}

/** Options of srun without a value (srun(1)); all others take the next word. */
const FLAGS_WITHOUT_VALUE =
  /^(?:-[lklvQuXIKOZ]+|-[A-Za-z]\d+|--(?:label|exclusive|overlap|pty|unbuffered|verbose|quiet|no-kill|wait-all-nodes|container-(?:mount-home|remap-root|writable|no-mount-home)|no-container-\w[\w-]*|kill-on-bad-exit|disable-status|overcommit))$/;

/** The command that srun starts; other commands unchanged. */
export function withoutSrun(command: Command): Command {
  const head = VISIBLE.test(command[0]?.text ?? '') ? 1 : 0;
  if (command[head]?.text !== 'srun') return command;
  let at = head + 1;
  for (let option = command[at]?.text; option === '' || option?.startsWith('-'); option = command[at]?.text) {
    at += option === '' || option.includes('=') || FLAGS_WITHOUT_VALUE.test(option) ? 1 : 2;
  }
  return [...command.slice(0, head), ...command.slice(at)];
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
  runsOfScript(opened, files, { name: '', launched: {}, known: new Map() });

/** Scripts that start scripts: one that asks for GPUs, and one that trains. */
const MOST_SCRIPTS = 2;

/** The runs of a script; if it starts none, those of the scripts that it starts. */
export async function runsOfScript(
  opened: Layer,
  files: NearbyFiles,
  before: Before,
  depth = 1,
): Promise<readonly Composition[]> {
  const { name, launched, known } = before;
  const script = await scriptWithSourced(opened, before, files);
  const [commands, perhaps] = [script.always.map(withoutSrun), script.perhaps.map(withoutSrun)];
  const job = { name, image: '', commands, perhaps, environment: [], launched };
  const all = await runsOfJob(job, opened, withWritten(script, opened, files));
  const started = all.filter(({ dialect }) => dialect !== undefined).map(awaited);
  const entered = await enteredRuns(opened, files);
  const runs = [...started, ...entered.map((run, i) => numbered(run, name, started.length + i))];
  if (runs.length > 0 || depth >= MOST_SCRIPTS) return runs;
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
function startedIn(command: Command): { readonly name: string; readonly given: Command } | null {
  const name = scriptIn(command);
  if (name === null) return null;
  return { name, given: command.slice(command.findIndex(({ text }) => text === name) + 1) };
}

/** The files around a script, and those that it writes. */
function withWritten({ written }: Commands, opened: Layer, files: NearbyFiles): NearbyFiles {
  if (written === undefined || written.size === 0) return files;
  const near: NearbyFiles = {
    read: path => files.read(path),
    list: folder => files.list(folder),
    ...(files.dialectOf && { dialectOf: files.dialectOf.bind(files) }),
    ...(files.ownProgram && { ownProgram: files.ownProgram.bind(files) }),
    ...(files.programWithin && { programWithin: files.programWithin.bind(files) }),
    ...(files.programs && { programs: files.programs }),
    written: path => {
      const text = written.get(basename(path));
      return text ? { text, opened } : null;
    },
  };
  return near;
}

/** A script waits for what trains, and not for what serves. */
const awaited = (run: Composition): Composition =>
  run.launched?.program === undefined ? run : { ...run, launched: { ...run.launched, isAwaited: true } };

/** `./train.sh`, `bash -x train.sh`: the script that a command runs. */
export function scriptIn(command: Command): string | null {
  const words = command.filter(({ text }) => !VISIBLE.test(text));
  const isShell = /^(?:\S*\/)?(?:ba|z|da)?sh$/.test(words[0]?.text ?? '');
  const word = words.find(({ text }, i) => !isShell || (i > 0 && !text.startsWith('-')));
  return word?.open === false && /\.(?:sh|bash)$/.test(word.text) ? word.text : null;
}
