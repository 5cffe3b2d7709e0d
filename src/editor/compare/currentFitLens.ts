import { CodeLens, EventEmitter, l10n, languages } from 'vscode';
import type { CodeLensProvider } from 'vscode';
import { DisposableStore } from '../../host/disposables';
import type { Disposable } from '../../host/disposables';
import { placeOn } from '../../host/pages';
import { neediest } from '../findings';
import { configSelector } from '../selector';
import type { EditorServices } from '../services';
import type { CurrentFits } from './currentFit';

/**
 * How many of the available GPUs fit the file's largest run now, after its verdict; hidden if the verdict says it.
 */
export function registerCurrentFitLens({ analysis }: EditorServices, currentFits: CurrentFits): Disposable {
  const store = new DisposableStore();
  const changed = store.add(new EventEmitter<void>());
  const provider: CodeLensProvider = {
    onDidChangeCodeLenses: changed.event,
    async provideCodeLenses(document, token) {
      const analyzed = await analysis.at(document, token);
      const run = analyzed && neediest(analyzed.analysis.runs.filter(({ judged }) => judged));
      if (!run) return null;
      const start = analyzed.anchors[analyzed.analysis.runs.indexOf(run)]?.start;
      const here = await currentFits.of(analyzed, run);
      if (start === undefined || !here?.isNews || token.isCancellationRequested) return null;
      const { uri, range } = placeOn(analyzed.document, { start, end: start });
      if (uri.toString() !== document.uri.toString()) return null;
      const command = {
        title: here.text,
        tooltip: l10n.t('Compare GPUs for this config'),
        command: 'headroom.compareGpus',
        arguments: [analyzed.uri.toString(), run.run.name],
      };
      return [new CodeLens(range, command)];
    },
  };
  store.add(analysis.onDidAnalyze(() => changed.fire()));
  store.add(currentFits.onDidChange(() => changed.fire()));
  store.add(languages.registerCodeLensProvider([...configSelector], provider));
  return store;
}
