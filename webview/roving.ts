/**
 * One tab stop for all cards (roving tabindex); arrow keys move between cards, and Tab reaches the controls of the
 * focused card.
 */
export class Roving {
  private current: HTMLElement | null = null;

  constructor(
    private readonly root: HTMLElement,
    private readonly selector: string,
  ) {
    root.addEventListener('focusin', event => this.entered(event.target));
    root.addEventListener('keydown', event => this.pressed(event));
  }

  /** Call after cards were added, removed or moved. */
  refresh(): void {
    const items = this.items();
    for (const item of items) if (item !== this.current) reach(item, false);
    if (this.current === null || !items.includes(this.current)) this.current = items[0] ?? null;
    if (this.current) reach(this.current, true);
  }

  private items(): HTMLElement[] {
    return [...this.root.querySelectorAll<HTMLElement>(this.selector)].filter(
      item => item.offsetParent !== null,
    );
  }

  private entered(target: EventTarget | null): void {
    const item = target instanceof Element ? target.closest<HTMLElement>(this.selector) : null;
    if (item === null || item === this.current) return;
    if (this.current) reach(this.current, false);
    this.current = item;
    reach(item, true);
  }

  private pressed(event: KeyboardEvent): void {
    const { target, key } = event;
    // Keys inside a control of a card belong to the control.
    if (!(target instanceof HTMLElement) || !target.matches(this.selector)) return;
    const items = this.items();
    const at = items.indexOf(target);
    const to = this.destination(key, items, at);
    if (to === undefined) return;
    event.preventDefault();
    to.focus();
  }

  private destination(key: string, items: readonly HTMLElement[], at: number): HTMLElement | undefined {
    if (key === 'Home') return items[0];
    if (key === 'End') return items.at(-1);
    if (key === 'ArrowRight') return items[at + 1];
    if (key === 'ArrowLeft') return at > 0 ? items[at - 1] : undefined;
    if (key === 'ArrowDown' || key === 'ArrowUp') return below(items, at, key === 'ArrowDown' ? 1 : -1);
    return undefined;
  }
}

/** The nearest item in the next row: the number of columns varies. */
function below(items: readonly HTMLElement[], at: number, step: 1 | -1): HTMLElement | undefined {
  const from = items[at]?.getBoundingClientRect();
  if (!from) return undefined;
  for (let i = at + step; i >= 0 && i < items.length; i += step) {
    const box = items[i]?.getBoundingClientRect();
    const isOtherRow = box && (step === 1 ? box.top >= from.bottom : box.bottom <= from.top);
    if (isOtherRow && Math.abs(box.left - from.left) < from.width) return items[i];
  }
  return items[at + step];
}

/** Includes an item and its controls in the tab order, or removes them. */
function reach(item: HTMLElement, isReached: boolean): void {
  const index = isReached ? 0 : -1;
  item.tabIndex = index;
  for (const control of item.querySelectorAll<HTMLElement>('button, vscode-button, summary, .table')) {
    control.tabIndex = index;
  }
}
