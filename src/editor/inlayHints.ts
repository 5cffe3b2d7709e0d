import { EventEmitter, InlayHint, l10n, languages, Location } from 'vscode';
import type { InlayHintsProvider } from 'vscode';
import { DisposableStore } from '../host/disposables';
import type { Disposable } from '../host/disposables';
import { placeOn } from '../host/pages';
import type { Analyzed } from './analysisService';
import type { EditorServices } from './services';
import type { Core } from './loading';
import { statedIn } from './findings';
import { configSelector } from './selector';

/** Keys whose product is the effective batch size. */
const BATCH_KEYS = new Set(['microBatchSize', 'gradAccum']);

/** The effective batch size after the keys that determine it: `2 × 8 × 4 GPUs = 64`. */
export function registerInlayHints({ analysis, core }: EditorServices): Disposable {
  const store = new DisposableStore();
  const changed = store.add(new EventEmitter<void>());
  const provider: InlayHintsProvider = {
    onDidChangeInlayHints: changed.event,
    async provideInlayHints(document, range, token) {
      const analyzed = await analysis.at(document, token);
      return analyzed && hints(analyzed, new Location(document.uri, range), await core());
    },
    resolveInlayHint(hint) {
      hint.tooltip = l10n.t(
        'Samples per optimizer step: micro-batch size × gradient accumulation × data-parallel GPUs.',
      );
      return hint;
    },
  };
  store.add(analysis.onDidAnalyze(() => changed.fire()));
  store.add(languages.registerInlayHintsProvider([...configSelector], provider));
  return store;
}

/** One hint per key, however many runs share it. */
function hints({ document, file, analysis }: Analyzed, visible: Location, core: Core): InlayHint[] {
  const batches = statedIn(file, analysis.runs).filter(({ name }) => BATCH_KEYS.has(name));
  const ends = new Set(batches.map(({ at }) => at.valueSpan.end));
  return [...ends].flatMap(end => {
    const shared = batches.filter(({ at }) => at.valueSpan.end === end);
    const [first] = shared;
    if (!first) return [];
    const { uri, range } = placeOn(document, first.at.valueSpan);
    const runs = shared.map(({ run: { run, target } }) => ({ run, gpus: target?.count ?? null }));
    const arithmetic = core.sharedBatchArithmetic(runs);
    const isVisible = uri.toString() === visible.uri.toString() && visible.range.contains(range.end);
    if (arithmetic === null || !isVisible) return [];
    const hint = new InlayHint(range.end, l10n.t('batch {0}', arithmetic));
    hint.paddingLeft = true;
    return [hint];
  });
}
