/** The time budget per frame: it leaves room for the rest of a frame's 16 ms (60 Hz). */
const FRAME_MS = 2;

/**
 * Draws changes over several frames: readings of all GPUs arrive at once, and a line that moves a frame later is
 * not noticeable.
 */
export class DrawQueue {
  private readonly waiting = new Set<string>();
  private isScheduled = false;

  constructor(private readonly draw: (id: string) => void) {}

  add(id: string): void {
    this.waiting.add(id);
    this.ask();
  }

  forget(id: string): void {
    this.waiting.delete(id);
  }

  private ask(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    requestAnimationFrame(() => this.frame());
  }

  /** At least one, then as many as the time allows. */
  private frame(): void {
    this.isScheduled = false;
    const end = performance.now() + FRAME_MS;
    for (const id of this.waiting) {
      this.waiting.delete(id);
      this.draw(id);
      if (performance.now() >= end) break;
    }
    if (this.waiting.size > 0) this.ask();
  }
}
