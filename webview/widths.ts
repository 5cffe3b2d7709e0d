/** Cached widths of elements: reading one while others are written forces a layout each time. */
export class Widths {
  private readonly widths = new WeakMap<Element, number>();
  private readonly observer: ResizeObserver;

  constructor(changed: (element: Element) => void) {
    this.observer = new ResizeObserver(entries => {
      for (const { target, contentRect } of entries) {
        const width = Math.floor(contentRect.width);
        if (this.widths.get(target) === width) continue;
        this.widths.set(target, width);
        changed(target);
      }
    });
  }

  watch(element: Element): void {
    this.observer.observe(element);
  }

  /** 0 until known. */
  of(element: Element): number {
    return this.widths.get(element) ?? 0;
  }
}
