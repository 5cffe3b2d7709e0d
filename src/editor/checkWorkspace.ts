import { commands, l10n, ProgressLocation, window, workspace } from 'vscode';
import type { CancellationToken, Progress, Uri } from 'vscode';
import type { Analysis } from '../core/rules/analysis';
import { DisposableStore } from '../host/disposables';
import type { Disposable } from '../host/disposables';
import { abortSignalOf } from '../host/signal';
import { openDocument, pathOf } from '../host/uris';
import type { Analyst } from './analyst';
import type { ChosenOptions } from './analysisService';
import type { LocatedAnalysis } from './places';
import type { ProblemBoard } from './problemBoard';
import type { EditorServices } from './services';
import { candidateFiles } from './workspaceConfigs';

export interface CheckServices extends EditorServices {
  readonly analyst: Analyst;
  readonly board: ProblemBoard;
  readonly optionsFor: (uri: Uri) => Promise<ChosenOptions>;
}

/**
 * *Check Workspace*: the problems of every config, open or not. What is said about a file that is not open goes when
 * the file changes on disk; an open one speaks for itself.
 */
export class WorkspaceCheck implements Disposable {
  private readonly store = new DisposableStore();
  private readonly checked = new Map<string, Uri>();

  constructor(private readonly services: CheckServices) {
    const watcher = this.store.add(workspace.createFileSystemWatcher('**/*.{yaml,yml}', true));
    this.store.add(watcher.onDidChange(uri => this.forget(uri)));
    this.store.add(watcher.onDidDelete(uri => this.forget(uri)));
  }

  async run(): Promise<void> {
    const title = l10n.t('Checking training configs');
    const location = ProgressLocation.Notification;
    const checked = await window.withProgress({ location, title, cancellable: true }, (progress, token) =>
      this.check(progress, token),
    );
    if (checked) announce((await this.services.core()).summaryText(checked, checked.length));
  }

  dispose(): void {
    this.store.dispose();
  }

  private async check(
    progress: Progress<{ message: string }>,
    token: CancellationToken,
  ): Promise<readonly Analysis[] | null> {
    for (const uri of [...this.checked.values()]) this.forget(uri);
    const core = await this.services.core();
    const checked: Analysis[] = [];
    for await (const { uri, text } of candidateFiles(this.services.couldBeOurs, token)) {
      progress.report({ message: workspace.asRelativePath(uri) });
      const analysed = await this.analyse(uri, text, abortSignalOf(token));
      if (analysed.analysis.dialect === null) continue;
      this.services.board.post(analysed, core);
      this.checked.set(uri.toString(), uri);
      checked.push(analysed.analysis);
    }
    return token.isCancellationRequested ? null : checked;
  }

  private async analyse(uri: Uri, text: string, signal: AbortSignal): Promise<LocatedAnalysis> {
    const { options } = await this.services.optionsFor(uri);
    const request = { file: pathOf(uri), text, options };
    return { ...(await this.services.analyst.analyse(request, signal)), ...request, uri };
  }

  private forget(uri: Uri): void {
    if (!this.checked.delete(uri.toString()) || openDocument(pathOf(uri))) return;
    this.services.board.clear(uri);
  }
}

function announce(summary: string): void {
  const show = l10n.t('Show Problems');
  void window.showInformationMessage(`${summary}.`, show).then(chosen => {
    if (chosen === show) void commands.executeCommand('workbench.actions.view.problems');
  });
}
