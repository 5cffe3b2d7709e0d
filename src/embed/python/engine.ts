import { availableMemory } from 'node:process';
import type { Batch } from '../engine/batches';
import type { DeviceOption } from '../engine/device';
import type { Engine, PreparedTexts } from '../engine/engine';
import { EmbedError } from '../errors';
import type { PythonModel } from '../folder/modelFolder';
import { PythonProcess } from './process';
import type { Fields, Interpreter } from './process';

const DEVICES: readonly DeviceOption[] = ['auto', 'cpu', 'cuda'];
/** Batches queued at a time, so that it never waits for the next one. */
const AHEAD = 2;

/**
 * sentence-transformers in the user's Python, with the same files, checkpoints and checks as Headroom's own engine.
 */
export class PythonEngine implements Engine {
  readonly count = 1;
  private running = 0;
  private free: (() => void)[] = [];

  private constructor(
    private readonly process: PythonProcess,
    readonly dimensions: number | null,
    readonly device: string,
    readonly why: string,
    readonly freeBytes: number | null,
    readonly versions: Readonly<Record<string, string>>,
  ) {}

  static async start(
    model: PythonModel,
    interpreter: Interpreter,
    device: DeviceOption,
  ): Promise<PythonEngine> {
    if (!DEVICES.includes(device)) {
      throw new EmbedError('usage', `--device ${device}: with Python it is auto, cpu or cuda.`);
    }
    const { folder, normalize, maxTokens, prompt, dimensions } = model;
    const settings = { model: folder, device, normalize, maxTokens, prompt, dimensions };
    const process = new PythonProcess(interpreter, { protocol: 1, task: 'embed', ...settings });
    try {
      const ready = await process.ready;
      const [size, free] = [ready['dimensions'], ready['freeBytes']];
      return new PythonEngine(
        process,
        typeof size === 'number' ? size : null,
        String(ready['device']),
        String(ready['why']),
        typeof free === 'number' ? free : ready['device'] === 'cpu' ? availableMemory() : null,
        (ready['versions'] ?? {}) as Readonly<Record<string, string>>,
      );
    } catch (error) {
      await process.stop();
      throw error;
    }
  }

  async prepare(texts: readonly string[]): Promise<PreparedTexts> {
    const sizes = sizesOf(await this.process.ask('sizes', texts));
    return {
      sizes,
      vectors: async ({ places }: Batch) => {
        this.running++;
        try {
          return vectorsOf(
            await this.process.ask(
              'vectors',
              places.map(place => texts[place] ?? ''),
            ),
            places.length,
          );
        } finally {
          this.running--;
          this.wake();
        }
      },
    };
  }

  async ready(): Promise<void> {
    while (this.running >= AHEAD) await new Promise<void>(resolve => this.free.push(resolve));
  }

  stop(): Promise<void> {
    this.wake();
    return this.process.stop();
  }

  private wake(): void {
    const { free } = this;
    this.free = [];
    for (const resolve of free) resolve();
  }
}

function sizesOf(fields: Fields): PreparedTexts['sizes'] {
  const tokens = Array.isArray(fields['tokens']) ? fields['tokens'].map(Number) : [];
  const cut = Array.isArray(fields['cut']) ? fields['cut'] : [];
  const bare = Number(fields['bare']);
  return tokens.map((count, i) => ({ length: count, isCut: cut[i] === true, isEmpty: count <= bare }));
}

function vectorsOf(fields: Fields, rows: number): Float32Array {
  const bytes = Buffer.from(String(fields['data']), 'base64');
  const size = Number(fields['size']);
  if (bytes.length !== rows * size * 4) {
    throw new EmbedError('engine', 'The Python worker returned the wrong number of vectors.');
  }
  return new Float32Array(new Uint8Array(bytes).buffer);
}
