import {
  l10n,
  ProcessExecution,
  Task,
  TaskPanelKind,
  TaskRevealKind,
  TaskScope,
  tasks,
  workspace,
} from 'vscode';
import type { TaskExecution } from 'vscode';
import { commandWords } from '../../core/text/commandWords';
import { askText, decide } from '../../host/messages';
import { Refusal } from '../../host/errors';
import type { ChosenRun } from '../chosenRun';
import type { ProfileServices, ProfileSubject } from './profiler';
import { pythonFor } from './python';
import { titleOf } from './profiler';
import type { ProgramProcess } from './profiler';

/**
 * *Profile …* on a run whose model is unknown: shows the command of its program, asks, and runs it without data as
 * a task. `entry`: the user wants to name a function instead; null: it was started, or the user canceled.
 */
export async function profileProgram(
  services: ProfileServices,
  chosen: ChosenRun,
  subject: ProfileSubject,
): Promise<'entry' | null> {
  const known = await commandOf(services, chosen, subject);
  const [run, enter, entry] = [l10n.t('Run'), l10n.t('Enter Command …'), l10n.t('Name a Function …')];
  const title = l10n.t('Profile {0} by running its program without data?', titleOf(subject));
  const lines = [
    known === null ? l10n.t('Its command is not known.') : shown(known),
    l10n.t('It runs your code without a GPU and without network, and discards what it writes.'),
  ];
  const buttons = known === null ? [enter, entry] : [run, enter, entry];
  const answer = await decide('question', { title, lines }, ...buttons);
  if (answer === entry) return 'entry';
  const command = answer === run ? known : answer === enter ? await entered(subject, known) : null;
  if (command === null) return null;
  const python = await pythonFor(chosen.analyzed.document.uri);
  await started(services, chosen, subject, await services.profiler.program(subject, python, command));
  return null;
}

/** The Python command of the run; null: unknown. */
export async function commandOf(
  services: ProfileServices,
  { analyzed, run }: ChosenRun,
  { folder }: ProfileSubject,
): Promise<readonly string[] | null> {
  const { file, text } = analyzed;
  const gpus = run.run.quantities.gpus.value ?? 1;
  const launch = { gpus, folder, program: true };
  const found = await services.analyst('launch', { file, text, run: run.run.name, launch });
  return found.ok ? found.launch.argv : null;
}

export const shown = (command: readonly string[]): string =>
  command.map(word => (/^[\w@%+=:,./{}~-]+$/.test(word) ? word : JSON.stringify(word))).join(' ');

export async function entered(
  subject: ProfileSubject,
  known: readonly string[] | null,
): Promise<readonly string[] | null> {
  const typed = await askText({
    title: l10n.t('Profile {0}', titleOf(subject)),
    prompt: l10n.t('The command that trains, as in a terminal'),
    placeHolder: 'python train.py --config config.yaml',
    ignoreFocusOut: true,
    ...(known && { value: shown(known) }),
    validateInput: text =>
      commandWords(text) === null ? l10n.t('Enter one command, without pipes and variables.') : null,
  });
  return typed === undefined ? null : commandWords(typed);
}

/** Runs it as a task with a terminal of its own. */
export async function started(
  { learned }: Pick<ProfileServices, 'learned'>,
  { analyzed }: ChosenRun,
  subject: ProfileSubject,
  { program, args, folder, environment, asks }: ProgramProcess,
): Promise<void> {
  const { uri } = analyzed.document;
  const execution = new ProcessExecution(program, [...args], { cwd: folder, env: { ...environment } });
  const scope = workspace.getWorkspaceFolder(uri) ?? TaskScope.Workspace;
  const definition = { type: 'headroom', kind: 'profile', config: subject.file };
  const task = new Task(definition, scope, `profile ${titleOf(subject)}`, 'Headroom', execution);
  task.presentationOptions = {
    panel: TaskPanelKind.Dedicated,
    reveal: TaskRevealKind.Always,
    showReuseMessage: false,
    // Otherwise the answer would be typed into the config.
    focus: asks,
    clear: true,
  };
  const ended = await ending(await tasks.executeTask(task));
  learned();
  if (ended === BAD) throw new Refusal(l10n.t("The program couldn't be profiled. The terminal says why."));
}

/** The CLI's exit code for what it cannot do. */
const BAD = 3;

const ending = (execution: TaskExecution): Promise<number | undefined> =>
  new Promise(resolve => {
    const watch = tasks.onDidEndTaskProcess(event => {
      if (event.execution !== execution) return;
      watch.dispose();
      resolve(event.exitCode);
    });
  });
