import { DisposableStore } from '../host/disposables';
import type { Disposable } from '../host/disposables';
import { whileOn, setting } from '../host/settings';
import { registerContextKey } from './activeConfig';
import { registerCodeActions } from './codeActions';
import { CurrentFits } from './compare/currentFit';
import { registerCurrentFitLens } from './compare/currentFitLens';
import { registerCodeLens } from './codeLens';
import { registerDialectFiles } from './dialectFiles';
import { registerDiagnostics } from './problemBoard';
import type { ProblemBoard } from './problemBoard';
import { registerHover } from './hover';
import { registerInlayHints } from './inlayHints';
import { registerKeyHelp } from './keyHelp';
import { registerLanguageStatus } from './languageStatus';
import type { EditorServices } from './services';
import { registerStatusBar } from './statusBar';
import { downloadable } from './unknownModel';

/** Limit for one window, because a folder may name thousands of models. */
const MOST = 50;

/** With `headroom.models.download: always`, downloads the description of an unknown model once a config names it. */
function registerModelDownloads({ analysis, core, downloadModel, log }: EditorServices): Disposable {
  const store = new DisposableStore();
  const stop = new AbortController();
  const asked = new Set<string>();
  store.add({ dispose: () => stop.abort() });
  const download = async (id: string): Promise<void> => {
    const downloaded = await downloadModel(id, stop.signal);
    if (stop.signal.aborted) return;
    if (downloaded.ok) analysis.refresh();
    else log.info(`Couldn't download config.json of ${id}: ${downloaded.why}`);
  };
  store.add(
    analysis.onDidAnalyze(({ analyzed }) => {
      if (!analyzed || setting('models.download') !== 'always') return;
      void core().then(loaded => {
        for (const run of analyzed.analysis.runs) {
          const id = downloadable(loaded, run);
          if (id === null || asked.has(id) || asked.size >= MOST) continue;
          asked.add(id);
          void download(id);
        }
      });
    }),
  );
  return store;
}

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
