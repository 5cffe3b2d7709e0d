import { DisposableStore } from '../host/disposables';
import type { Disposable } from '../host/disposables';
import type { ProblemBoard } from './problemBoard';
import type { EditorServices } from './services';

/** The findings of open documents as problems, as long as the documents are open. */
export function registerDiagnostics({ analysis, core }: EditorServices, board: ProblemBoard): Disposable {
  const store = new DisposableStore();
  store.add({ dispose: () => board.clearAll() });
  store.add(
    analysis.onDidAnalyse(({ document, analysed }) => {
      if (!analysed) board.clear(document.uri);
      else {
        void core().then(loaded => {
          if (analysis.news(document)?.analysed === analysed) board.post(analysed, loaded);
        });
      }
    }),
  );
  analysis.refresh();
  return store;
}
