import { EventEmitter, l10n, workspace } from 'vscode';
import type { CancellationToken, Event, NotebookDocument, TextDocument, Uri } from 'vscode';
import type { AnalysisOptions } from '../core/rules/analysis';
import { basename } from '../core/text/paths';
import { DisposableStore, Disposing } from '../host/disposables';
import type { Disposable } from '../host/disposables';
import type { Log } from '../host/log';
import { isCell, notebookPage, openPages, pageOf } from '../host/pages';
import type { Page } from '../host/pages';
import { pathOf } from '../host/uris';
import { LimitError } from '../host/worker';
import type { Analyst } from './analyst';
import type { CouldBeOurs } from './loading';
import { DependencyWatch } from './dependencyWatch';
import type { Failures } from './failures';
import { LatestRuns } from './latestRuns';
import type { LocatedAnalysis } from './places';
import { isCandidate } from './selector';
import { limitText } from './workerAnalyst';

/** The analysis of one version of a document. */
export interface Analyzed extends LocatedAnalysis {
  readonly document: Page;
  readonly version: number;
}

/**
 * A change of a document's analysis; null if the document is not (or no longer) a config or could not be analyzed.
 */
export interface AnalysisEvent {
  readonly document: Page;
  readonly analyzed: Analyzed | null;
  /** A sentence that says why a config was not analyzed, or not as the user's settings ask. */
  readonly problem: string | null;
}

/** The effective options for a document, and a sentence about what is wrong with the settings they come from. */
export interface ChosenOptions {
  readonly options: AnalysisOptions;
  readonly problem: string | null;
}

interface AnalysisServices {
  readonly analyst: Analyst;
  readonly couldBeOurs: CouldBeOurs;
  readonly optionsFor: (uri: Uri) => Promise<ChosenOptions>;
  readonly failures: Failures;
  /** Whether there is something of ours, for which a worker is kept ready. */
  readonly keep: (wanted: boolean) => void;
  readonly log: Log;
}

/** Delay after typing before the text is analyzed again. */
const TYPING_MS = 150;

/**
 * One analysis per version of each open candidate document, shared by every feature. It starts when the document
 * opens, restarts on an edit, a save, a new target or a change in a dependency, and is dropped on close.
 */
export class AnalysisService extends Disposing {
  private readonly emitter = this.store.add(new EventEmitter<AnalysisEvent>());
  private readonly latest = new Map<Page, AnalysisEvent>();
  /** Versions that could not be analyzed: they are not tried again. */
  private readonly givenUp = new Map<Page, number>();
  private readonly runs: LatestRuns<Page, Analyzed>;
  private readonly watch: DependencyWatch<Page>;

  readonly onDidAnalyze: Event<AnalysisEvent> = this.emitter.event;

  constructor(private readonly services: AnalysisServices) {
    super();
    this.runs = this.store.add(new LatestRuns((document, signal) => this.run(document, signal)));
    this.watch = this.store.add(new DependencyWatch(document => this.retry(document)));
    this.store.add(services.failures.onDidChange(() => this.refresh()));
    this.store.add(
      workspace.onDidOpenTextDocument(document => {
        // Cells come one by one, and with a new language when a kernel is chosen.
        if (isCell(document)) this.changed(document);
        else this.begin(document, 0);
      }),
    );
    this.store.add(
      workspace.onDidCloseTextDocument(document => {
        if (!isCell(document)) this.drop(document);
      }),
    );
    this.store.add(workspace.onDidSaveTextDocument(document => this.saved(document)));
    this.store.add(
      workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0) this.changed(document);
      }),
    );
    this.store.add(this.followNotebooks());
    this.refresh();
  }

  private followNotebooks(): Disposable {
    const store = new DisposableStore();
    const each = (notebook: NotebookDocument, act: (page: Page) => void): void => {
      const page = notebookPage(notebook);
      if (page) act(page);
    };
    store.add(workspace.onDidOpenNotebookDocument(one => each(one, page => this.begin(page, 0))));
    store.add(workspace.onDidCloseNotebookDocument(one => each(one, page => this.drop(page))));
    store.add(workspace.onDidSaveNotebookDocument(one => each(one, page => this.saved(page))));
    store.add(
      workspace.onDidChangeNotebookDocument(({ notebook, contentChanges }) => {
        if (contentChanges.length > 0) each(notebook, page => this.begin(page, TYPING_MS));
      }),
    );
    return store;
  }

  /** The analysis of the current version of a document's page; null if there is none or the request was canceled. */
  async at(part: TextDocument, token: CancellationToken): Promise<Analyzed | null> {
    const document = pageOf(part);
    if (!document || !isCandidate(document)) return null;
    const analyzed = await (this.runs.latest(document) ?? this.runs.start(document, 0));
    const current = analyzed?.version === document.version && !token.isCancellationRequested;
    return current ? analyzed : null;
  }

  /** Like `at`, for commands: starts without delay, and restarts if the document changes meanwhile. */
  async settled(document: Page): Promise<Analyzed | null> {
    for (;;) {
      this.runs.skipDelay(document);
      const run = this.runs.latest(document) ?? this.runs.start(document, 0);
      const analyzed = await run;
      if (run === this.runs.latest(document) || document.isClosed) return analyzed;
    }
  }

  /** The latest analysis of each open document that has one. */
  all(): readonly Analyzed[] {
    return [...this.latest.values()].flatMap(({ analyzed }) => analyzed ?? []);
  }

  /** The last event of a document. */
  lastEvent(document: Page): AnalysisEvent | undefined {
    return this.latest.get(document);
  }

  /** Analyzes every open document again: the target or the rules have changed; `anew`: what they are read by. */
  refresh({ anew } = { anew: false }): void {
    if (anew) this.givenUp.clear();
    for (const document of openPages()) this.begin(document, 0);
  }

  /** Analyzes again what depends on the folder of a file that now starts something else. */
  refreshNear(path: string): void {
    this.watch.changed(path);
  }

  private changed(part: TextDocument): void {
    const document = pageOf(part);
    if (!document) return;
    this.begin(document, TYPING_MS);
    this.watch.typed(pathOf(document.uri));
  }

  /** What a document uses may have been mended in the one that was saved. */
  private saved(saved: Page): void {
    this.runs.skipDelay(saved);
    for (const document of [...this.givenUp.keys()]) if (document !== saved) this.retry(document);
  }

  private retry(document: Page): void {
    this.givenUp.delete(document);
    this.begin(document, TYPING_MS);
  }

  private begin(document: Page, delayMs: number): void {
    if (isCandidate(document)) void this.runs.start(document, delayMs);
  }

  private drop(document: Page): void {
    // From now on the disk counts: it may say something else than the document did, which may have been unsaved or outdated.
    this.watch.typed(pathOf(document.uri));
    this.runs.drop(document);
    this.watch.forget(document);
    this.latest.delete(document);
    this.givenUp.delete(document);
    this.services.keep(this.all().length > 0);
    if (isCandidate(document)) this.emitter.fire({ document, analyzed: null, problem: null });
  }

  private async run(document: Page, signal: AbortSignal): Promise<Analyzed | null> {
    const { version } = document;
    if (this.givenUp.get(document) === version) return null;
    try {
      const { analyzed, problem } = await this.analyze(document, signal);
      if (!signal.aborted) this.notify({ document, analyzed, problem });
      return analyzed;
    } catch (error) {
      if (signal.aborted) return null;
      this.services.log.error(`Analysis of ${pathOf(document.uri)}`, error);
      this.givenUp.set(document, version);
      this.notify({ document, analyzed: null, problem: sentence(document, error) });
      return null;
    }
  }

  private notify(event: AnalysisEvent): void {
    const { document, analyzed } = event;
    const own = pathOf(document.uri);
    const others = analyzed?.analysis.dependencies.filter(path => path !== own) ?? [];
    this.watch.follow(document, others);
    this.latest.set(document, event);
    this.services.keep(this.all().length > 0);
    this.emitter.fire(event);
  }

  private async analyze(document: Page, signal: AbortSignal): Promise<Omit<AnalysisEvent, 'document'>> {
    const { version } = document;
    const text = document.getText();
    const mayBeOurs = await this.services.couldBeOurs(text, pathOf(document.uri));
    if (!mayBeOurs) return { analyzed: null, problem: null };
    const { options, problem } = await this.services.optionsFor(document.uri);
    signal.throwIfAborted();
    const request = { file: pathOf(document.uri), text, options };
    const found = await this.services.analyst('analyse', request, signal);
    // A file that could not be parsed has no dialect, but a finding that says why; so has one of a broken dialect.
    const { dialect, findings, nearby = [] } = found.analysis;
    const silent = dialect === null && findings.length === 0 && nearby.length === 0;
    if (silent) return { analyzed: null, problem: null };
    const located = { ...found, ...request, uri: document.uri, document, version };
    const analysis = this.services.failures.stillTrue(located);
    return { analyzed: { ...located, analysis }, problem };
  }
}

function sentence({ uri }: Page, error: unknown): string {
  if (error instanceof LimitError) return limitText(basename(uri.path), error);
  return l10n.t("Headroom couldn't analyze this file. See the log for the reason.");
}
