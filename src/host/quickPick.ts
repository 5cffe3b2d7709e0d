import type { QuickPick, QuickPickItem } from 'vscode';
import { label } from '../core/text/visible';

/** The rows of a list, without icons in their texts; an icon of ours is an `iconPath`. */
export const rows = <T extends QuickPickItem>(items: readonly T[]): T[] =>
  items.map(item => ({
    ...item,
    label: label(item.label),
    ...(item.description !== undefined && { description: label(item.description) }),
    ...(item.detail !== undefined && { detail: label(item.detail) }),
  }));

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
  list.items = rows(items);
  const again = active && list.items.find(item => isSame(item, active));
  if (again) list.activeItems = [again];
}
