import { workspace } from 'vscode';
import { DisposableStore } from '../host/disposables';
import type { Disposable } from '../host/disposables';
import type { AnalysisEvent } from './analysisService';
import type { ProblemBoard } from './problemBoard';
import type { EditorServices } from './services';

/** The findings of open documents as problems, as long as the documents are open. */
export function registerDiagnostics({ analysis, core }: EditorServices, board: ProblemBoard): Disposable {
  const store = new DisposableStore();
  const show = async ({ document, analysed }: AnalysisEvent): Promise<void> => {
    if (!analysed) {
      board.clear(document.uri);
      return;
    }
    const loaded = await core();
    if (analysis.news(document)?.analysed === analysed) board.post(analysed, loaded);
  };
  store.add({ dispose: () => board.clearAll() });
  store.add(analysis.onDidAnalyse(news => void show(news)));
  for (const document of workspace.textDocuments) {
    const news = analysis.news(document);
    if (news) void show(news);
  }
  return store;
}
