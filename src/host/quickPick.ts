import type { QuickPick, QuickPickItem } from 'vscode';

/**
 * Gives an open list other rows. The row that the user has gone to stays the one that Enter takes, wherever it ends up:
 * by itself the list would go back to its first.
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
