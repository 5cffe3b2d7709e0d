import { languages, Uri } from 'vscode';
import type { Diagnostic } from 'vscode';
import { DisposableStore } from '../host/disposables';
import type { Disposable } from '../host/disposables';
import { documentsOf, openPages } from '../host/pages';
import type { AnalysisEvent } from './analysisService';
import { asDiagnostic } from './asDiagnostic';
import type { EditorServices } from './services';
import type { Core } from './loading';
import { findingsOf } from './findings';
import type { LocatedAnalysis } from './places';

/** The findings of one analyzed file: its own documents, and problems by the document they are in, as URIs. */
interface Speaker {
  readonly own: ReadonlySet<string>;
  readonly found: ReadonlyMap<string, readonly Diagnostic[]>;
}

/**
 * All problems that Headroom shows. Findings about another file of the runs are shown in that file, unless it was
 * analyzed itself, so that nothing appears twice.
 */
export class ProblemBoard implements Disposable {
  private readonly collection = languages.createDiagnosticCollection('headroom');
  private readonly speakers = new Map<string, Speaker>();

  /** Replaces a file's findings. */
  post(analyzed: LocatedAnalysis, core: Core): void {
    const found = new Map<string, Diagnostic[]>();
    for (const one of findingsOf(analyzed)) {
      const { uri, diagnostic } = asDiagnostic(analyzed, one, core);
      const there = uri.toString();
      found.set(there, [...(found.get(there) ?? []), diagnostic]);
    }
    const parts = analyzed.document ? documentsOf(analyzed.document).map(({ uri }) => uri) : [];
    const own = new Set([analyzed.uri, ...parts].map(uri => uri.toString()));
    this.replace(analyzed.uri, { own, found });
  }

  clear(uri: Uri): void {
    this.replace(uri, null);
  }

  clearAll(): void {
    this.speakers.clear();
    this.collection.clear();
  }

  has(uri: Uri): boolean {
    return this.speakers.has(uri.toString());
  }

  dispose(): void {
    this.collection.dispose();
  }

  private replace(uri: Uri, now: Speaker | null): void {
    const key = uri.toString();
    const before = this.speakers.get(key);
    if (now) this.speakers.set(key, now);
    else this.speakers.delete(key);
    const files = [before, now].flatMap(speaker =>
      speaker ? [...speaker.own, ...speaker.found.keys()] : [],
    );
    for (const file of new Set(files)) this.show(file);
  }

  private show(file: string): void {
    const own = [...this.speakers.values()].find(speaker => speaker.own.has(file));
    const speaking = own ? [own] : [...this.speakers.values()];
    const shown = new Map<string, Diagnostic>();
    for (const { found } of speaking) {
      for (const problem of found.get(file) ?? []) shown.set(keyOf(problem), problem);
    }
    this.collection.set(Uri.parse(file), [...shown.values()]);
  }
}

const keyOf = ({ message, range }: Diagnostic): string =>
  `${range.start.line}:${range.start.character} ${message}`;

/** Shows the findings of open documents as problems while the documents are open. */
export function registerDiagnostics({ analysis, core }: EditorServices, board: ProblemBoard): Disposable {
  const store = new DisposableStore();
  const show = async ({ document, analyzed }: AnalysisEvent): Promise<void> => {
    if (!analyzed) {
      board.clear(document.uri);
      return;
    }
    const loaded = await core();
    if (analysis.lastEvent(document)?.analyzed === analyzed) board.post(analyzed, loaded);
  };
  store.add({ dispose: () => board.clearAll() });
  store.add(analysis.onDidAnalyze(event => void show(event)));
  for (const document of openPages()) {
    const event = analysis.lastEvent(document);
    if (event) void show(event);
  }
  return store;
}
