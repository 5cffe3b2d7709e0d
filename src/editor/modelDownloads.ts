import type { Disposable } from '../host/disposables';
import { DisposableStore } from '../host/disposables';
import { setting } from '../host/settings';
import type { EditorServices } from './services';
import { downloadable } from './unknownModel';

/** Limit for one window, because a folder may name thousands of models. */
const MOST = 50;

/** With `headroom.models.download: always`, downloads the description of an unknown model once a config names it. */
export function registerModelDownloads({ analysis, core, downloadModel, log }: EditorServices): Disposable {
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
