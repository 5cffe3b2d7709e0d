import { FileDecoration, l10n, ThemeColor, window } from 'vscode';
import type { Verdict } from '../../core/memory/estimate';
import { DisposableStore } from '../../host/disposables';
import type { Disposable } from '../../host/disposables';
import { worstOf } from './results';
import type { CheckResults } from './results';

/** The badge says it without the color. */
const BADGES: Readonly<Record<Verdict, string>> = { exceeds: '✗', tight: '!', fits: '✓', unknown: '?' };

/** Colors of the theme; what fits, and what nobody knows, keeps the file's own. */
const COLORS: Readonly<Partial<Record<Verdict, string>>> = {
  exceeds: 'list.errorForeground',
  tight: 'list.warningForeground',
};

/** Marks checked files where files are listed: the explorer, tabs, the tree of results. */
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
