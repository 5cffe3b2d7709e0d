/** A job of many parts writes one output; its progress lines name their part. */
export class ArrayOutput {
  private readonly ofPart = new Map<number, string>();
  private offset = 0;
  private rest = '';
  private readonly decoder = new TextDecoder();
  private reading: Promise<void> | null = null;

  /** `readOn`: reads from a byte on. */
  constructor(private readonly readOn: (offset: number) => Promise<Uint8Array>) {}

  /** The progress lines of a part (from 1), starting at a byte of them. */
  async read(part: number, offset: number): Promise<Uint8Array> {
    // All parts ask at the same time, so one read serves all.
    await (this.reading ??= this.take().finally(() => (this.reading = null)));
    return new TextEncoder().encode(this.ofPart.get(part) ?? '').subarray(offset);
  }

  private async take(): Promise<void> {
    const bytes = await this.readOn(this.offset);
    this.offset += bytes.length;
    const lines = (this.rest + this.decoder.decode(bytes, { stream: true })).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) {
      const part = partIn(line);
      if (part !== null) this.ofPart.set(part, `${this.ofPart.get(part) ?? ''}${line}\n`);
    }
  }
}

function partIn(line: string): number | null {
  const found = /^\{"event":"embed-progress","part":(\d+),/.exec(line);
  return found ? Number(found[1]) : null;
}
