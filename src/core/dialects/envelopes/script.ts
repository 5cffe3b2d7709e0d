import { basename } from '../../text/paths';
import { configAt } from '../command/configList';
import { runsOfJob } from '../command/jobs';
import { whole } from '../command/located';
import { VISIBLE, scriptOf } from '../command/shell';
import type { Command, Script } from '../command/shell';
import type { Variables } from '../command/shellValues';
import { writtenLayer } from '../command/writtenFiles';
import type { Composition, Layer, NearbyFiles } from '../engine/compose';
import { carriedCommands } from './carriers';
import type { Launched } from '../../spec/runSpec';

/** Scripts source one or two files of settings. */
const MOST_SOURCED = 4;

/** What is read of a script, or of a file that carries commands. */
type Commands = Pick<Script, 'always' | 'perhaps'> & Partial<Pick<Script, 'handed' | 'written'>>;

/** A script's commands, with the variables that the files it sources set known from its start. */
async function scriptWithSourced(opened: Layer, known: Variables, files: NearbyFiles): Promise<Commands> {
  const text = whole(opened.yaml.text);
  const read = (variables: Variables): Commands =>
    carriedCommands(opened.path, opened.yaml.text, variables) ?? scriptOf(text, variables);
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
}

/** One run for each known program that a script starts. */
export const scriptRuns = (opened: Layer, files: NearbyFiles): Promise<readonly Composition[]> =>
  runsOfScript(opened, files, { name: '', launched: {}, known: new Map() });

/** Scripts that start scripts: one that asks for GPUs, and one that trains. */
const MOST_SCRIPTS = 2;

/** The runs of a script; if it starts none, those of the first script that it starts with some. */
export async function runsOfScript(
  opened: Layer,
  files: NearbyFiles,
  before: Before,
  depth = 1,
): Promise<readonly Composition[]> {
  const { name, launched, known } = before;
  const script = await scriptWithSourced(opened, known, files);
  const [commands, perhaps] = [script.always.map(withoutSrun), script.perhaps.map(withoutSrun)];
  const job = { name, image: '', commands, perhaps, environment: [], launched };
  files.keepWritten?.(written => {
    const file = script.written?.named(written) ?? null;
    return file && writtenLayer(file, written, opened);
  });
  const runs = (await runsOfJob(job, opened, files)).filter(({ dialect }) => dialect !== undefined);
  if (runs.length > 0 || depth >= MOST_SCRIPTS) return runs;
  for (const command of [...script.always, ...script.perhaps]) {
    const inner = scriptIn(withoutSrun(command));
    const layer = inner === null ? null : await configAt(inner, opened.path, files);
    const given = { ...before, known: new Map([...known, ...(script.handed?.get(command) ?? [])]) };
    const found = layer ? await runsOfScript(layer, files, given, depth + 1) : [];
    if (found.length > 0) return found;
  }
  return runs;
}

/** `./train.sh`, `bash -x train.sh`: the script that a command runs. */
export function scriptIn(command: Command): string | null {
  const words = command.filter(({ text }) => !VISIBLE.test(text));
  const isShell = /^(?:\S*\/)?(?:ba|z|da)?sh$/.test(words[0]?.text ?? '');
  const word = words.find(({ text }, i) => !isShell || (i > 0 && !text.startsWith('-')));
  return word?.open === false && /\.(?:sh|bash)$/.test(word.text) ? word.text : null;
}
