import { grouped } from '../../core/units';
import type { Output } from '../output';

const EVERY_MS = 500;

/** Tells how far a count is, a line now and then. */
export class CountTeller {
  private lastMs = performance.now();
  private width = 0;

  constructor(private readonly output: Output) {}

  tell({ rows, share }: { readonly rows: number; readonly share: number }): void {
    const now = performance.now();
    if (now - this.lastMs < EVERY_MS) return;
    this.lastMs = now;
    const text = `${grouped(rows)} rows, ${Math.floor(Math.min(1, share) * 100)} % …`;
    if (!process.stderr.isTTY) this.output.err(text);
    else this.draw(text);
  }

  end(): void {
    if (this.width > 0) this.draw('');
  }

  private draw(text: string): void {
    process.stderr.write(`\r${text.padEnd(this.width)}${text === '' ? '\r' : ''}`);
    this.width = text.length;
  }
}
