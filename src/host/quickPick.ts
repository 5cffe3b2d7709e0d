import type { QuickPick, QuickPickItem } from 'vscode';

/**
 * Replaces the rows of an open list. The active row stays active wherever it moves; VS Code would reset it to the
 * first row.
 */
export function refill<T extends QuickPickItem>(
  list: Pick<QuickPick<T>, 'items' | 'activeItems'>,
  items: readonly T[],
  isSame: (one: T, other: T) => boolean,
): void {
  const [active] = list.activeItems;
  list.items = items;
  const again = active && items.find(item => isSame(item, active));
  if (again) list.activeItems = [again];
}
