import { VISIBLE, scriptOf } from '../command/shell';
import type { Command } from '../command/shell';
import { runsOfJob } from '../command/jobs';
import { whole } from '../command/located';
import { carriedCommands } from './carriers';
import type { Composition, Layer, NearbyFiles } from '../engine/compose';

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

/** One run for each known program that a script starts. */
export async function scriptRuns(opened: Layer, files: NearbyFiles): Promise<readonly Composition[]> {
  const { text } = opened.yaml;
  const { always, perhaps } = carriedCommands(opened.path, text) ?? scriptOf(whole(text), new Map());
  const job = {
    name: '',
    image: '',
    commands: always.map(withoutSrun),
    perhaps: perhaps.map(withoutSrun),
    environment: [],
    launched: {},
  };
  const runs = await runsOfJob(job, opened, files);
  return runs.filter(({ dialect }) => dialect !== undefined);
}
