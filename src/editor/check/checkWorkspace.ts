import { commands, l10n, ProgressLocation, window, workspace, FileDecoration, ThemeColor } from 'vscode';
import type { CancellationToken, Progress, Uri } from 'vscode';
import type { Analysis, RunAnalysis } from '../../core/rules/analysis';
import { basename } from '../../core/text/paths';
import { DisposableStore, Disposing } from '../../host/disposables';
import type { Disposable } from '../../host/disposables';
import { Refusal } from '../../host/errors';
import { onSettings } from '../../host/settings';
import { abortSignalOf } from '../../host/signal';
import { openDocument, pathOf } from '../../host/uris';
import { workspaceFiles } from '../../host/workspaceFiles';
import { inform, withProgress } from '../../host/messages';
import type { AnalysisEvent, ChosenOptions } from '../analysisService';
import { unknownFormat } from '../chosenRun';
import { neediest } from '../findings';
import type { LocatedAnalysis } from '../places';
import { CheckResults, checkedFile, worstOf } from './results';
import type { CheckedFile } from './results';
import { registerResultsTree } from './tree';
import type { ProblemBoard } from '../problemBoard';
import type { EditorServices } from '../services';
import { candidateFiles } from '../pickConfig';
import type { Verdict } from '../../core/memory/estimate';

/** Badges convey the verdict without color. */
const BADGES: Readonly<Record<Verdict, string>> = { exceeds: '✗', tight: '!', fits: '✓', unknown: '?' };

/** Theme colors; files that fit, or whose verdict is unknown, keep their own. */
const COLORS: Readonly<Partial<Record<Verdict, string>>> = {
  exceeds: 'list.errorForeground',
  tight: 'list.warningForeground',
};

/** Decorates checked files wherever files are listed: the Explorer, tabs, the tree of results. */
function registerDecorations(results: CheckResults): Disposable {
  const store = new DisposableStore();
  store.add(
    window.registerFileDecorationProvider({
      onDidChangeFileDecorations: results.onDidChange,
      provideFileDecoration(uri) {
        const file = results.of(uri);
        const verdict = file && worstOf(file);
        if (!file || verdict === null) return undefined;
        const run = file.runs.find(one => one.verdict === verdict);
        const color = COLORS[verdict];
        return new FileDecoration(
          BADGES[verdict],
          l10n.t('Headroom: {0}', run?.answer.spoken ?? ''),
          color === undefined ? undefined : new ThemeColor(color),
        );
      },
    }),
  );
  return store;
}

export interface CheckServices extends EditorServices {
  readonly board: ProblemBoard;
  readonly optionsFor: (uri: Uri) => Promise<ChosenOptions>;
}

/** Files whose change on disk makes results stale; the editor itself reports changes of open ones. */
const WATCHED = '**/*.{yaml,yml,toml,json,sbatch,slurm,sh}';

/**
 * *Check Workspace*: the verdict of every config as a badge on its file and in a tree by verdict. Results of an
 * open file follow its text; those of other files are removed when a dependency changes on disk, and all are
 * removed when the target changes.
 */
export class WorkspaceCheck extends Disposing {
  private readonly checked = new Map<string, Uri>();
  private readonly results = this.store.add(new CheckResults());

  constructor(private readonly services: CheckServices) {
    super();
    const watcher = this.store.add(workspace.createFileSystemWatcher(WATCHED, true));
    this.store.add(watcher.onDidChange(uri => this.forget(uri)));
    this.store.add(watcher.onDidDelete(uri => this.forget(uri)));
    this.store.add(services.targets.onDidChange(() => this.clear()));
    this.store.add(onSettings(['rules.severity'], () => this.clear()));
    this.store.add(services.analysis.onDidAnalyze(event => void this.follow(event)));
    this.store.add(registerDecorations(this.results));
    this.store.add(registerResultsTree(this.results));
  }

  async run(): Promise<void> {
    const title = l10n.t('Checking training configs');
    const location = ProgressLocation.Notification;
    const checked = await withProgress({ location, title, cancellable: true }, (progress, token) =>
      this.check(progress, token),
    );
    if (!checked) return;
    const show = l10n.t('Show Results');
    const summary = (await this.services.core()).summaryText(checked, checked.length);
    const offered = this.results.all().length > 0 ? [show] : [];
    void inform(`${summary}.`, ...offered).then(chosen => {
      if (chosen === show) void commands.executeCommand('headroom.results.focus');
    });
  }

  /** *Clear Results*: no badges, no tree. */
  clear(): void {
    this.results.clear();
  }

  /** *Check* in the Explorer's menu: the verdict of one file, or how many of several fit. */
  async files(uris: readonly Uri[]): Promise<void> {
    const core = await this.services.core();
    const checked: LocatedAnalysis[] = [];
    for (const uri of uris) {
      const read = await workspaceFiles.read(pathOf(uri));
      const analyzed =
        'text' in read ? await this.analyze(uri, read.text, new AbortController().signal) : null;
      if (!analyzed?.analysis.dialect) continue;
      this.services.board.post(analyzed, core);
      this.results.set([checkedFile(core, analyzed)]);
      this.checked.set(uri.toString(), uri);
      checked.push(analyzed);
    }
    const [only] = checked;
    const run = only && neediest(only.analysis.runs.filter(({ judged }) => judged));
    if (uris.length === 1 && run) announceOne(only.uri, run, core.answer(run));
    else if (checked.length > 0) {
      announce(
        core.summaryText(
          checked.map(one => one.analysis),
          uris.length,
        ),
      );
    } else throw new Refusal(unknownFormat(uris.map(uri => workspace.asRelativePath(uri)).join(', ')));
  }

  private async check(
    progress: Progress<{ message: string }>,
    token: CancellationToken,
  ): Promise<readonly Analysis[] | null> {
    for (const uri of [...this.checked.values()]) this.forget(uri);
    this.clear();
    const core = await this.services.core();
    const checked: Analysis[] = [];
    const found: CheckedFile[] = [];
    for await (const { uri, text } of candidateFiles(this.services.couldBeOurs, token)) {
      progress.report({ message: workspace.asRelativePath(uri) });
      const analyzed = await this.analyze(uri, text, abortSignalOf(token));
      if (analyzed.analysis.dialect === null) continue;
      found.push(checkedFile(core, analyzed));
      checked.push(analyzed.analysis);
    }
    if (token.isCancellationRequested) return null;
    // A launcher leads to runs that their own config already reports.
    const own = new Set(core.onceEach(checked).map(({ file }) => file));
    this.results.set(found.filter(({ uri, runs }) => runs.length > 0 && own.has(pathOf(uri))));
    return checked;
  }

  private async analyze(uri: Uri, text: string, signal: AbortSignal): Promise<LocatedAnalysis> {
    const { options } = await this.services.optionsFor(uri);
    const request = { file: pathOf(uri), text, options };
    return { ...(await this.services.analyst('analyse', request, signal)), ...request, uri };
  }

  /** The result of an open file is the one that the editor shows. */
  private async follow({ document, analyzed }: AnalysisEvent): Promise<void> {
    const { uri } = document;
    if (this.results.of(uri) === null) return;
    if (analyzed) this.results.set([checkedFile(await this.services.core(), analyzed)]);
  }

  private forget(uri: Uri): void {
    if (!openDocument(pathOf(uri))) this.results.forget(pathOf(uri));
    if (!this.checked.delete(uri.toString()) || openDocument(pathOf(uri))) return;
    this.services.board.clear(uri);
  }
}

function announceOne(uri: Uri, { run }: RunAnalysis, answer: string): void {
  const [open, optimize] = [l10n.t('Open'), l10n.t('Optimize …')];
  const message = l10n.t('{0}: {1}', basename(uri.path), answer);
  void inform(message, open, optimize).then(chosen => {
    if (chosen === open) void window.showTextDocument(uri);
    if (chosen === optimize) void commands.executeCommand('headroom.optimize', uri.toString(), run.name);
  });
}

function announce(summary: string): void {
  const show = l10n.t('Show Problems');
  void inform(`${summary}.`, show).then(chosen => {
    if (chosen === show) void commands.executeCommand('workbench.actions.view.problems');
  });
}
