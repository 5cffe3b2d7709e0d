import { setTimeout as pause } from 'node:timers/promises';
import { writeWhole } from '../files';

const RETRY_MS = 1000;

/** A file whose newest text is written as soon as the disk takes it, while its writer goes on. */
export class LatestText {
  private newest: string | null = null;
  private retrying = false;

  constructor(private readonly path: string) {}

  /** Tries once, then goes on trying without the caller, until there is a newer text or an end. */
  async write(text: string): Promise<void> {
    this.newest = text;
    if (!(await this.isWritten(text)) && !this.retrying) void this.retry();
  }

  /** Writes nothing any more. */
  end(): void {
    this.newest = null;
  }

  private async retry(): Promise<void> {
    this.retrying = true;
    // A keeper that is done does not wait for it.
    do await pause(RETRY_MS, undefined, { ref: false });
    while (!(await this.isDone()));
    this.retrying = false;
  }

  private async isDone(): Promise<boolean> {
    const text = this.newest;
    return text === null || ((await this.isWritten(text)) && text === this.newest);
  }

  private isWritten(text: string): Promise<boolean> {
    return writeWhole(this.path, text).then(
      () => true,
      () => false,
    );
  }
}
