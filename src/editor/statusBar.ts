import { l10n, StatusBarAlignment, window, workspace } from 'vscode';
import type { StatusBarItem } from 'vscode';
import type { CommandId } from '../host/commands';
import { DisposableStore } from '../host/disposables';
import type { Disposable } from '../host/disposables';
import { mdText, mdParagraphs } from '../core/text/markdown';
import { label } from '../core/text/visible';
import { markdownView } from '../host/markdown';
import { onActiveConfig } from './activeConfig';
import type { AnalysisEvent } from './analysisService';
import { neediest } from './findings';
import type { EditorServices } from './services';
import type { Core } from './loading';

/** To the left of cursor position and language, which are also about the file. */
const PRIORITY = 101;
const MENU: CommandId = 'headroom.showActions';
const LOG: CommandId = 'headroom.showLog';

/** The verdict of the active file's neediest run, visible at any scroll position; a click shows the actions. */
export function registerStatusBar({ analysis, core }: EditorServices): Disposable {
  const store = new DisposableStore();
  const item = store.add(window.createStatusBarItem('headroom.answer', StatusBarAlignment.Right, PRIORITY));
  item.name = l10n.t('GPU Memory of the Active Config');
  let latest: AnalysisEvent | null = null;
  store.add(
    onActiveConfig(analysis, event => {
      latest = event;
      if (!event?.analyzed && !event?.problem) item.hide();
      else void core().then(loaded => latest === event && show(item, event, loaded));
    }),
  );
  // Ignores a result that arrives after the feature was turned off.
  store.add({ dispose: () => (latest = null) });
  return store;
}

function show(item: StatusBarItem, { document, analyzed, problem }: AnalysisEvent, core: Core): void {
  const runs = analyzed?.analysis.runs.filter(({ judged }) => judged) ?? [];
  const run = neediest(runs);
  if (!run && problem === null) {
    item.hide();
    return;
  }
  const { icon, text, spoken } = run
    ? core.shortAnswer(run)
    : { icon: 'warning', text: 'Headroom', spoken: problem ?? '' };
  item.text = `$(${icon}) ${label(text)}`;
  item.accessibilityInformation = { label: l10n.t('Headroom: {0}', spoken), role: 'button' };
  const which =
    runs.length > 1 && run ? l10n.t('{0} (largest of {1} runs)', run.run.name, runs.length) : null;
  const lines = [
    which,
    run && core.answer(run),
    problem,
    run ? l10n.t('Click to optimize, choose a GPU, explain or run') : l10n.t('Click to show the log'),
  ];
  const file = workspace.asRelativePath(document.uri);
  item.tooltip = markdownView(mdParagraphs([mdText`**${file}**`, ...lines.filter(line => line !== null)]));
  item.command = run
    ? { title: l10n.t('Show Actions'), command: MENU, arguments: [document.uri.toString(), run.run.name] }
    : LOG;
  item.show();
}
