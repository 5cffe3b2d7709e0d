/** Elements this close to the viewport count as visible, because a turn of the wheel shows them. */
const MARGIN = '120px';

/** Tracks which elements are visible. */
export class Visibility {
  private readonly ids = new WeakMap<Element, string>();
  private readonly seen = new Set<string>();
  private readonly observer: IntersectionObserver;

  constructor(appeared: (id: string) => void) {
    this.observer = new IntersectionObserver(
      entries => {
        for (const { target, isIntersecting } of entries) {
          const id = this.ids.get(target);
          if (id === undefined) continue;
          if (!isIntersecting) this.seen.delete(id);
          else if (!this.seen.has(id)) {
            this.seen.add(id);
            appeared(id);
          }
        }
      },
      { rootMargin: MARGIN },
    );
  }

  watch(id: string, element: Element): void {
    this.ids.set(element, id);
    this.observer.observe(element);
  }

  forget(id: string, element: Element): void {
    this.observer.unobserve(element);
    this.seen.delete(id);
  }

  isSeen(id: string): boolean {
    return this.seen.has(id);
  }
}
