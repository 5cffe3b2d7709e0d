import { commands, l10n, ProgressLocation, window, workspace } from 'vscode';
import type { CancellationToken, Progress, Uri } from 'vscode';
import type { Verdict } from '../core/memory/estimate';
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

/** How many configs and runs were checked, and with what verdict. */
interface Tally {
  configs: number;
  readonly runs: Record<Verdict, number>;
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
    const tally = await window.withProgress({ location, title, cancellable: true }, (progress, token) =>
      this.check(progress, token),
    );
    if (tally) announce(tally);
  }

  dispose(): void {
    this.store.dispose();
  }

  private async check(
    progress: Progress<{ message: string }>,
    token: CancellationToken,
  ): Promise<Tally | null> {
    for (const uri of [...this.checked.values()]) this.forget(uri);
    const core = await this.services.core();
    const tally: Tally = { configs: 0, runs: { fits: 0, tight: 0, exceeds: 0, unknown: 0 } };
    for await (const { uri, text } of candidateFiles(this.services.couldBeOurs, token)) {
      progress.report({ message: workspace.asRelativePath(uri) });
      const analysed = await this.analyse(uri, text, abortSignalOf(token));
      if (analysed.analysis.dialect === null) continue;
      this.services.board.post(analysed, core);
      this.checked.set(uri.toString(), uri);
      tally.configs++;
      for (const { judged, verdict } of analysed.analysis.runs) if (judged) tally.runs[verdict]++;
    }
    return token.isCancellationRequested ? null : tally;
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

function announce({ configs, runs }: Tally): void {
  const verdicts = [
    [runs.fits, l10n.t('{0} × fits', runs.fits)],
    [runs.tight, l10n.t('{0} × tight', runs.tight)],
    [runs.exceeds, l10n.t('{0} × does not fit', runs.exceeds)],
    [runs.unknown, l10n.t('{0} × unknown', runs.unknown)],
  ] as const;
  const counted = verdicts.filter(([count]) => count > 0).map(([, words]) => words);
  const sum = counted.length > 0 ? l10n.t('Runs: {0}.', counted.join(', ')) : '';
  const show = l10n.t('Show Problems');
  const checked = configs === 1 ? l10n.t('Checked 1 config.') : l10n.t('Checked {0} configs.', configs);
  void window.showInformationMessage(`${checked} ${sum}`.trim(), show).then(chosen => {
    if (chosen === show) void commands.executeCommand('workbench.actions.view.problems');
  });
}
