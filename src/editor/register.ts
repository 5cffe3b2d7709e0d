import { DisposableStore } from '../host/disposables';
import type { Disposable } from '../host/disposables';
import { whileOn } from '../host/settings';
import { registerContextKey } from './activeConfig';
import { registerCodeActions } from './codeActions';
import { CurrentFits } from './compare/currentFit';
import { registerCurrentFitLens } from './compare/currentFitLens';
import { registerCodeLens } from './codeLens';
import { registerDialectFiles } from './dialectFiles';
import { registerDiagnostics } from './problemBoard';
import { registerHover } from './hover';
import { registerInlayHints } from './inlayHints';
import { registerKeyHelp } from './keyHelp';
import { registerLanguageStatus } from './languageStatus';
import { registerModelDownloads } from './modelDownloads';
import type { ProblemBoard } from './problemBoard';
import type { EditorServices } from './services';
import { registerStatusBar } from './statusBar';

/** Every feature over the one analysis, each while its setting is on. */
export function registerFeatures(services: EditorServices, board: ProblemBoard): Disposable {
  const store = new DisposableStore();
  const currentFits = store.add(new CurrentFits(services));
  // In one line, VS Code puts lenses of the provider that was registered last first.
  store.add(whileOn('editor.codeLens', () => registerCurrentFitLens(services, currentFits)));
  store.add(whileOn('editor.codeLens', () => registerCodeLens(services)));
  store.add(whileOn('editor.inlayHints', () => registerInlayHints(services)));
  store.add(whileOn('editor.hover', () => registerHover(services, currentFits)));
  store.add(whileOn('editor.keyHelp', () => registerKeyHelp(services)));
  store.add(registerDialectFiles(services));
  store.add(whileOn('editor.diagnostics', () => registerDiagnostics(services, board)));
  store.add(whileOn('editor.quickFixes', () => registerCodeActions(services)));
  store.add(whileOn('editor.languageStatus', () => registerLanguageStatus(services)));
  store.add(whileOn('editor.statusBar', () => registerStatusBar(services)));
  store.add(registerContextKey(services.analysis));
  store.add(registerModelDownloads(services));
  return store;
}
