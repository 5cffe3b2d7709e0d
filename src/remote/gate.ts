/** A semaphore; the rest wait in line. Servers and jump hosts refuse too many simultaneous connections. */
export class Gate {
  private inside = 0;
  private readonly line: (() => void)[] = [];

  constructor(private readonly most: number) {}

  /**
   * Resolves when it is the caller's turn, to a function that lets the next one in (a second call does nothing).
   */
  async enter(): Promise<() => void> {
    if (this.inside >= this.most) await new Promise<void>(resolve => this.line.push(resolve));
    else this.inside += 1;
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      const next = this.line.shift();
      if (next) next();
      else this.inside -= 1;
    };
  }
}
