/** One frame's share: with what else a frame has to do it stays below the sixteen milliseconds of sixty a second. */
const FRAME_MS = 2;

/** Draws what has changed over as many frames as it takes: readings of all GPUs come at once, and no one sees a line move by a frame later. */
export class DrawQueue {
  private readonly waiting = new Set<string>();
  private isAsked = false;

  constructor(private readonly draw: (id: string) => void) {}

  add(id: string): void {
    this.waiting.add(id);
    this.ask();
  }

  forget(id: string): void {
    this.waiting.delete(id);
  }

  private ask(): void {
    if (this.isAsked) return;
    this.isAsked = true;
    requestAnimationFrame(() => this.frame());
  }

  /** One at least, then as many as there is time for. */
  private frame(): void {
    this.isAsked = false;
    const end = performance.now() + FRAME_MS;
    for (const id of this.waiting) {
      this.waiting.delete(id);
      this.draw(id);
      if (performance.now() >= end) break;
    }
    if (this.waiting.size > 0) this.ask();
  }
}
