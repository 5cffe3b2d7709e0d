import type { Launched } from '../../spec/runSpec';
import { VISIBLE } from '../command/shell';
import type { Command } from '../command/shell';
import { configAt } from '../command/configFile';
import { runsOfJob } from '../command/jobs';
import type { Variables } from '../command/shellValues';
import type { Composition, Layer, NearbyFiles } from '../engine/compose';
import { carriedCommands } from './carriers';
import { scriptWithSourced } from './sourced';

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
  const script =
    carriedCommands(opened.path, opened.yaml.text) ?? (await scriptWithSourced(opened, known, files));
  const [commands, perhaps] = [script.always.map(withoutSrun), script.perhaps.map(withoutSrun)];
  const job = { name, image: '', commands, perhaps, environment: [], launched };
  const runs = (await runsOfJob(job, opened, files)).filter(({ dialect }) => dialect !== undefined);
  if (runs.length > 0 || depth >= MOST_SCRIPTS) return runs;
  for (const inner of [...commands, ...perhaps].flatMap(command => scriptIn(command) ?? [])) {
    const layer = await configAt(inner, opened.path, files);
    const found = layer ? await runsOfScript(layer, files, before, depth + 1) : [];
    if (found.length > 0) return found;
  }
  return runs;
}

/** `./train.sh`, `bash train.sh`: the script that a command runs. */
function scriptIn(command: Command): string | null {
  const words = command.filter(({ text }) => !VISIBLE.test(text));
  const at = /^(?:\S*\/)?(?:ba|z|da)?sh$/.test(words[0]?.text ?? '') ? 1 : 0;
  const word = words[at];
  return word?.open === false && /\.(?:sh|bash)$/.test(word.text) ? word.text : null;
}
