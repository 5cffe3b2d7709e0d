import { commands, l10n, QuickPickItemKind, ThemeIcon, workspace } from 'vscode';
import type { QuickPickItem, Uri } from 'vscode';
import type { CommandId } from '../host/commands';
import { isTrusted } from '../host/trust';
import { pickOne } from '../host/messages';
import { chosenRun } from './chosenRun';
import type { ChosenRun } from './chosenRun';
import type { EditorServices } from './services';
import type { Core } from './loading';

interface ActionItem extends QuickPickItem {
  readonly act?: () => unknown;
}

/** The actions for a run's estimate in one list, opened from the status bar. */
export async function showActions(services: EditorServices, file: Uri | null, name: unknown): Promise<void> {
  const chosen = await chosenRun(services, file, name);
  if (!chosen) return;
  const core = await services.core();
  const { run, analyzed } = chosen;
  const title = `${workspace.asRelativePath(analyzed.document.uri)} ${run.run.name}`.trim();
  const items = [...actions(chosen, core), ...rules(chosen)];
  const picked = await pickOne(items, { title, placeHolder: core.answer(run) });
  await picked?.act?.();
}

function actions({ analyzed, run }: ChosenRun, core: Core): ActionItem[] {
  const { tentative, estimate, target } = run;
  const command = (id: CommandId, label: string, icon: string, description: string): ActionItem => ({
    label,
    description,
    iconPath: new ThemeIcon(icon),
    act: () => commands.executeCommand(id, analyzed.document.uri.toString(), run.run.name),
  });
  const onGpu = !tentative && estimate !== null && !estimate.onMachine;
  const starter = isTrusted() && !tentative ? core.starterOfRun(run.run) : null;
  const start = starter === 'engine' ? l10n.t('Embed …') : l10n.t('Run …');
  const choose = command(
    'headroom.chooseTarget',
    l10n.t('Choose GPU …'),
    'server-environment',
    target ? core.describeTarget(target) : l10n.t('none chosen'),
  );
  const optimize = command(
    'headroom.optimize',
    l10n.t('Optimize …'),
    'dashboard',
    l10n.t('changes that make it fit or use the GPU better'),
  );
  const items = [
    ...(onGpu && target ? [optimize, choose] : [choose]),
    command('headroom.explain', l10n.t('Explain'), 'info', l10n.t('where the memory goes')),
    ...(starter === null
      ? []
      : [command('headroom.runJob', start, 'play', l10n.t('on this machine, a host or a cluster'))]),
  ];
  if (!onGpu) return items;
  const compare = l10n.t('which GPUs it fits, with prices');
  return [...items, command('headroom.compareGpus', l10n.t('Compare GPUs …'), 'list-ordered', compare)];
}

/** The rules with findings here; each can be turned off. */
function rules({ analyzed, run }: ChosenRun): ActionItem[] {
  const found = [...analyzed.analysis.findings, ...run.findings];
  const messages = new Map(found.map(({ rule, message }) => [rule, message]));
  if (messages.size === 0) return [];
  return [
    { label: l10n.t('Rules'), kind: QuickPickItemKind.Separator },
    ...[...messages].map(([rule, message]) => ({
      label: l10n.t('Turn off {0}', rule),
      // Quick picks show text as it is.
      description: message.replaceAll('`', ''),
      iconPath: new ThemeIcon('circle-slash'),
      act: () => commands.executeCommand('headroom.ignoreRule' satisfies CommandId, rule),
    })),
  ];
}
