import { EventEmitter, InlayHint, l10n, languages } from 'vscode';
import type { InlayHintsProvider, Range } from 'vscode';
import { DisposableStore } from '../host/disposables';
import type { Disposable } from '../host/disposables';
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
      return analyzed && hints(analyzed, range, await core());
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
function hints({ document, file, analysis }: Analyzed, range: Range, core: Core): InlayHint[] {
  const found = new Map<number, InlayHint>();
  for (const { name, run, at } of statedIn(file, analysis.runs)) {
    if (!BATCH_KEYS.has(name) || found.has(at.valueSpan.end)) continue;
    const position = document.positionAt(at.valueSpan.end);
    const arithmetic = core.batchArithmetic(run.run, run.target?.count ?? null);
    if (arithmetic === null || !range.contains(position)) continue;
    const hint = new InlayHint(position, l10n.t('batch {0}', arithmetic));
    hint.paddingLeft = true;
    found.set(at.valueSpan.end, hint);
  }
  return [...found.values()];
}
