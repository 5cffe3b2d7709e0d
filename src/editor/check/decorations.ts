import { FileDecoration, l10n, ThemeColor, window } from 'vscode';
import type { Verdict } from '../../core/memory/estimate';
import { DisposableStore } from '../../host/disposables';
import type { Disposable } from '../../host/disposables';
import { worstOf } from './results';
import type { CheckResults } from './results';

/** Badges convey the verdict without color. */
const BADGES: Readonly<Record<Verdict, string>> = { exceeds: '✗', tight: '!', fits: '✓', unknown: '?' };

/** Theme colors; files that fit, or whose verdict is unknown, keep their own. */
const COLORS: Readonly<Partial<Record<Verdict, string>>> = {
  exceeds: 'list.errorForeground',
  tight: 'list.warningForeground',
};

/** Decorates checked files wherever files are listed: the Explorer, tabs, the tree of results. */
export function registerDecorations(results: CheckResults): Disposable {
  const store = new DisposableStore();
  store.add(
    window.registerFileDecorationProvider({
      onDidChangeFileDecorations: results.onDidChange,
      provideFileDecoration(uri) {
        const file = results.of(uri);
        const verdict = file && worstOf(file);
        if (!file || verdict === null) return undefined;
        const run = file.runs.find(one => one.verdict === verdict);
        const color = COLORS[verdict];
        return new FileDecoration(
          BADGES[verdict],
          l10n.t('Headroom: {0}', run?.answer.spoken ?? ''),
          color === undefined ? undefined : new ThemeColor(color),
        );
      },
    }),
  );
  return store;
}
