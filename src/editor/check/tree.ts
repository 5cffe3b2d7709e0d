import { EventEmitter, l10n, ThemeColor, ThemeIcon, TreeItem, TreeItemCollapsibleState } from 'vscode';
import { window, workspace } from 'vscode';
import type { Event, TreeDataProvider } from 'vscode';
import type { Verdict } from '../../core/memory/estimate';
import { basename } from '../../core/text/paths';
import { visibleLine } from '../../core/text/visible';
import { DisposableStore, Disposing } from '../../host/disposables';
import type { Disposable } from '../../host/disposables';
import { VERDICTS } from './results';
import type { CheckedFile, CheckedRun, CheckResults } from './results';

const VIEW = 'headroom.results';

/** A verdict, a file with runs of that verdict, or one run of it. */
type Node =
  | { readonly kind: 'verdict'; readonly verdict: Verdict }
  | { readonly kind: 'file'; readonly verdict: Verdict; readonly file: CheckedFile }
  | { readonly kind: 'run'; readonly file: CheckedFile; readonly run: CheckedRun };

const ICONS: Readonly<Record<Verdict, ThemeIcon>> = {
  exceeds: new ThemeIcon('error', new ThemeColor('list.errorForeground')),
  tight: new ThemeIcon('warning', new ThemeColor('list.warningForeground')),
  fits: new ThemeIcon('pass', new ThemeColor('testing.iconPassed')),
  unknown: new ThemeIcon('question'),
};

const TITLES: Readonly<Record<Verdict, string>> = {
  exceeds: l10n.t('Does not fit'),
  tight: l10n.t('Tight'),
  fits: l10n.t('Fits'),
  unknown: l10n.t('Unknown'),
};

const byVerdict = (runs: readonly CheckedRun[], verdict: Verdict): readonly CheckedRun[] =>
  runs.filter(run => run.verdict === verdict);

/** The results of *Check Workspace* by verdict. */
class ResultsTree extends Disposing implements TreeDataProvider<Node> {
  private readonly emitter = this.store.add(new EventEmitter<void>());
  readonly onDidChangeTreeData: Event<void> = this.emitter.event;

  constructor(private readonly results: CheckResults) {
    super();
    this.store.add(results.onDidChange(() => this.emitter.fire()));
  }

  getChildren(node?: Node): Node[] {
    if (!node) {
      const verdicts = VERDICTS.filter(verdict => this.filesOf(verdict).length > 0);
      return verdicts.map(verdict => ({ kind: 'verdict', verdict }));
    }
    if (node.kind === 'verdict') {
      const { verdict } = node;
      return this.filesOf(verdict).map(file => ({ kind: 'file', verdict, file }));
    }
    if (node.kind === 'run') return [];
    const runs = byVerdict(node.file.runs, node.verdict);
    return runs.length > 1 ? runs.map(run => ({ kind: 'run', file: node.file, run })) : [];
  }

  getTreeItem(node: Node): TreeItem {
    if (node.kind === 'verdict') return this.verdictItem(node.verdict);
    return node.kind === 'file' ? fileItem(node.file, node.verdict) : runItem(node.file, node.run);
  }

  private filesOf(verdict: Verdict): readonly CheckedFile[] {
    return this.results
      .all()
      .filter(({ runs }) => byVerdict(runs, verdict).length > 0)
      .toSorted((a, b) => (a.uri.path < b.uri.path ? -1 : 1));
  }

  private verdictItem(verdict: Verdict): TreeItem {
    const isOpen = verdict === 'exceeds' || verdict === 'tight';
    const item = new TreeItem(
      TITLES[verdict],
      isOpen ? TreeItemCollapsibleState.Expanded : TreeItemCollapsibleState.Collapsed,
    );
    const count = this.filesOf(verdict).reduce((sum, { runs }) => sum + byVerdict(runs, verdict).length, 0);
    item.id = verdict;
    item.iconPath = ICONS[verdict];
    item.description = count === 1 ? l10n.t('1 run') : l10n.t('{0} runs', count);
    item.accessibilityInformation = { label: `${TITLES[verdict]}, ${item.description}` };
    return item;
  }
}

/** A file with one such run shows the run's number itself. */
function fileItem(file: CheckedFile, verdict: Verdict): TreeItem {
  const runs = byVerdict(file.runs, verdict);
  const [only, more] = runs;
  const path = workspace.asRelativePath(file.uri);
  const item = new TreeItem(visibleLine(basename(file.uri.path)));
  item.id = `${verdict} ${file.uri.toString()}`;
  // The color and the badge of the file would repeat the verdict.
  const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  if (!only || more) {
    item.collapsibleState = TreeItemCollapsibleState.Collapsed;
    item.description = [l10n.t('{0} runs', runs.length), folder].filter(Boolean).join(' · ');
    item.accessibilityInformation = { label: `${path}, ${l10n.t('{0} runs', runs.length)}` };
    return item;
  }
  item.description = [only.answer.text, folder].filter(Boolean).join(' · ');
  return answered(item, file, only, path);
}

function runItem(file: CheckedFile, run: CheckedRun): TreeItem {
  const item = new TreeItem(visibleLine(run.name));
  item.id = `${file.uri.toString()} ${run.name}`;
  item.description = run.answer.text;
  return answered(item, file, run, run.name);
}

function answered(item: TreeItem, { uri }: CheckedFile, run: CheckedRun, name: string): TreeItem {
  item.iconPath = ICONS[run.verdict];
  item.tooltip = `${workspace.asRelativePath(uri)}: ${run.answer.spoken}`;
  item.accessibilityInformation = { label: `${name}, ${run.answer.spoken}` };
  item.command = {
    title: l10n.t('Open'),
    command: 'vscode.open',
    arguments: [uri, { selection: { start: at(run), end: at(run) } }],
  };
  return item;
}

const at = ({ line }: CheckedRun): { line: number; character: number } => ({ line, character: 0 });

/** The view *Configs*, shown while there are results. */
export function registerResultsTree(results: CheckResults): Disposable {
  const store = new DisposableStore();
  const tree = store.add(new ResultsTree(results));
  store.add(window.createTreeView(VIEW, { treeDataProvider: tree, showCollapseAll: true }));
  return store;
}
