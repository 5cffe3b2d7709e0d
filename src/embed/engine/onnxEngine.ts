import { EmbedError } from '../errors';
import type { OnnxModel } from '../folder/modelFolder';
import { packed } from './batches';
import { chooseDevice } from './device';
import type { ChosenDevice, DeviceOption } from './device';
import type { Engine, PreparedTexts } from './engine';
import type { Device, WorkerSetup } from './messages';
import { workerCount } from './size';
import { Tokenizer } from './tokenize';
import { Workers } from './workers';
import { reasonOf } from '../../core/text/errors';

export interface OnnxSettings {
  /** The worker's program, a separate file. */
  readonly workerFile: string;
  readonly device: DeviceOption;
  readonly workers?: number | undefined;
  /** The GPU's free memory, which onnxruntime does not report. */
  readonly gpuFreeBytes?: (() => Promise<number | null>) | undefined;
}

/** Headroom's own engine: the tokenizer here, onnxruntime in threads. */
export class OnnxEngine implements Engine {
  readonly versions = null;

  private constructor(
    private readonly tokenizer: Tokenizer,
    private readonly workers: Workers,
    readonly dimensions: number | null,
    readonly device: Device,
    readonly why: string,
    readonly freeBytes: number | null,
  ) {}

  /** Loads the model in its workers. */
  static async start(model: OnnxModel, settings: OnnxSettings): Promise<OnnxEngine> {
    const chosen = chooseDevice(settings.device);
    try {
      return await OnnxEngine.on(model, settings, chosen);
    } catch (error) {
      const why = reasonOf(error);
      if (chosen.device === 'cpu') throw error;
      if (!chosen.mayFallBack) {
        throw new EmbedError(
          'engine',
          `${chosen.why}, cannot be used: ${firstLine(why)}. Install what it asks for, or take --device cpu.`,
        );
      }
      const instead: ChosenDevice = {
        device: 'cpu',
        why: `the CPU: CUDA could not be used (${firstLine(why)})`,
        mayFallBack: false,
      };
      return OnnxEngine.on(model, settings, instead);
    }
  }

  private static async on(
    model: OnnxModel,
    settings: OnnxSettings,
    { device, why }: ChosenDevice,
  ): Promise<OnnxEngine> {
    const { onnx, poolings, normalize, dimensions } = model;
    const setup: WorkerSetup = { onnx, device, poolings, normalize, dimensions };
    const count = await workerCount(onnx, device, settings.workers);
    const starting = Workers.start(settings.workerFile, setup, count);
    starting.catch(() => undefined);
    try {
      // Done while the workers load.
      const tokenizer = new Tokenizer(model);
      const { workers, dimensions: known } = await starting;
      const freeBytes =
        device === 'cpu' ? process.availableMemory() : ((await settings.gpuFreeBytes?.()) ?? null);
      return new OnnxEngine(tokenizer, workers, known, device, why, freeBytes);
    } catch (error) {
      await starting.then(({ workers }) => workers.stop()).catch(() => undefined);
      throw error;
    }
  }

  get count(): number {
    return this.workers.count;
  }

  async prepare(texts: readonly string[]): Promise<PreparedTexts> {
    const tokens = await this.tokenizer.of(texts);
    const sizes = tokens.map(({ ids, isCut, isEmpty }) => ({ length: ids.length, isCut, isEmpty }));
    return { sizes, vectors: async batch => (await this.workers.run(packed(batch, tokens))).vectors };
  }

  ready(): Promise<void> {
    return this.workers.ready();
  }

  stop(): Promise<void> {
    return this.workers.stop();
  }
}

const firstLine = (text: string): string => (text.split('\n')[0] ?? '').slice(0, 300);
