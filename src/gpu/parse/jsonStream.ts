import type { StreamReader, ToolReading } from '../tool';
import { jsonValues } from './json';
import type { Json } from './json';

/** More than any tool prints per tick; longer text is not a tick. */
const MOST_CHARACTERS = 1024 * 1024;

/** Objects of a text that arrives line by line, in sequence or in an unterminated array. */
class JsonObjects {
  private text = '';
  private depth = 0;

  line(line: string): readonly Json[] {
    const found: Json[] = [];
    for (const [mark] of line.matchAll(/"(?:[^"\\]|\\.)*"|[{}]|[^"{}]+|"/g)) {
      if (mark === '{') this.depth += 1;
      if (this.depth > 0) this.text += mark;
      if (mark !== '}' || this.depth === 0) continue;
      this.depth -= 1;
      if (this.depth === 0) found.push(...this.complete());
    }
    if (this.text !== '') this.text += '\n';
    if (this.text.length > MOST_CHARACTERS) this.forget();
    return found;
  }

  private complete(): readonly Json[] {
    const values = jsonValues(this.text);
    this.forget();
    return values;
  }

  private forget(): void {
    this.text = '';
    this.depth = 0;
  }
}

/** Each object of a stream as a reading; the first `skipped` are omitted. */
export class JsonStream implements StreamReader {
  private readonly objects = new JsonObjects();

  constructor(
    private readonly read: (value: Json, receivedMs: number) => ToolReading,
    private skipped = 0,
  ) {}

  line(text: string, receivedMs: number): readonly ToolReading[] {
    return this.objects.line(text).flatMap(value => {
      this.skipped -= 1;
      const reading = this.skipped >= 0 ? null : this.read(value, receivedMs);
      return reading === null || reading.devices.length === 0 ? [] : [reading];
    });
  }
}
