import { l10n, StatusBarAlignment, ThemeColor, window } from 'vscode';
import type { MarkdownString, StatusBarItem } from 'vscode';
import { mdText, mdParagraphs } from '../core/text/markdown';
import { label } from '../core/text/visible';
import { link, markdownView } from '../host/markdown';
import type { CommandId } from '../host/commands';
import { DisposableStore } from '../host/disposables';
import type { Disposable } from '../host/disposables';
import { whileOn } from '../host/settings';
import type { JobView } from '../jobs/jobs';
import { placeName } from '../jobs/job';
import type { JobBoard } from './board';
import { progressText, stateWord, stepText, timeText } from './jobText';
import { say } from '../host/say';

/** To the right of the meter. */
const PRIORITY = 49;
const COMMAND: CommandId = 'headroom.showJobs';
const LINKED: readonly CommandId[] = ['headroom.showJobOutput', 'headroom.stopJob', COMMAND];

/** The active jobs in the status bar; hidden if there are none. */
export function registerJobStatus(board: JobBoard): Disposable {
  return whileOn('jobs.statusBar', () => {
    const store = new DisposableStore();
    const item = store.add(makeItem());
    const show = (): void => update(item, board.underWay());
    store.add(board.onDidChange(show));
    show();
    return store;
  });
}

function makeItem(): StatusBarItem {
  const item = window.createStatusBarItem('headroom.jobs', StatusBarAlignment.Left, PRIORITY);
  item.name = l10n.t('Jobs');
  item.command = COMMAND;
  return item;
}

function update(item: StatusBarItem, views: readonly JobView[]): void {
  const [first] = views;
  if (!first) {
    item.hide();
    return;
  }
  const text = views.length === 1 ? textOf(first) : l10n.t('{0} jobs', views.length);
  const icon = views.some(({ record }) => record.state === 'running') ? 'sync~spin' : 'clock';
  item.text = `$(${icon}) ${label(text)}`;
  item.tooltip = tooltip(views);
  item.accessibilityInformation = { label: views.map(describeJob).join('; ') };
  const isStopping = views.every(({ record }) => record.state === 'stopping');
  item.backgroundColor = isStopping ? new ThemeColor('statusBarItem.warningBackground') : undefined;
  item.show();
}

/** `lora.yml 1,240 of 5,000 · 12 min left`. */
function textOf({ record, progress }: JobView): string {
  const step = record.state === 'running' ? stepText(progress, say) : stateWord(record.state, say);
  const eta = record.state === 'running' ? progress?.etaSeconds : undefined;
  const parts = [step, eta === undefined ? null : l10n.t('{0} left', timeText(eta))];
  return [shortName(record.name), parts.filter(part => part !== null).join(' · ')].filter(Boolean).join(' ');
}

/** Without the kind, which the icon shows. */
const shortName = (name: string): string => name.replace(/^(?:train|embed|profile) /, '');

const describeJob = ({ record, progress }: JobView): string =>
  `${record.name}: ${progressText(record, progress, say)}`;

function tooltip(views: readonly JobView[]): MarkdownString {
  const rows = views.map(({ record, progress }) => {
    const output = link(l10n.t('Output'), 'headroom.showJobOutput', record.id);
    const stop = link(l10n.t('Stop'), 'headroom.stopJob', record.id);
    const head = mdText`**${record.name}** · ${placeName(record.place, say)}`;
    return mdText`${head}  \n${progressText(record, progress, say)}  \n${output} · ${stop}`;
  });
  return markdownView(mdParagraphs(rows), LINKED);
}
