import { window } from 'vscode';
import { GENERIC } from '../core/dialects/generic/name';
import { setContextKey } from '../host/commands';
import { DisposableStore } from '../host/disposables';
import type { Disposable } from '../host/disposables';
import { activePage } from '../host/pages';
import type { AnalysisEvent, AnalysisService } from './analysisService';

/** Reports what the active editor shows whenever that changes: an event of its document, or null if it has none. */
export function onActiveConfig(
  analysis: AnalysisService,
  listener: (event: AnalysisEvent | null) => void,
): Disposable {
  const store = new DisposableStore();
  const active = (): void => {
    const document = activePage();
    listener((document && analysis.lastEvent(document)) ?? null);
  };
  store.add(window.onDidChangeActiveTextEditor(active));
  store.add(window.onDidChangeActiveNotebookEditor(active));
  store.add(
    analysis.onDidAnalyze(event => {
      if (event.document === activePage()) listener(event);
    }),
  );
  active();
  return store;
}

/** Shows menus and commands on configs that Headroom recognizes. */
export function registerContextKey(analysis: AnalysisService): Disposable {
  return onActiveConfig(analysis, event => {
    const dialect = event?.analyzed?.analysis.dialect ?? null;
    setContextKey('headroom.recognised', dialect !== null);
    setContextKey('headroom.generic', dialect === GENERIC);
    const runs = event?.analyzed?.analysis.runs ?? [];
    setContextKey(
      'headroom.measured',
      runs.some(({ evidence, lessons }) => Boolean(evidence ?? lessons)),
    );
  });
}
