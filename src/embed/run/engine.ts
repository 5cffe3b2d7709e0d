import { chooseDevice } from '../engine/device';
import type { ChosenDevice, WishedDevice } from '../engine/device';
import type { Device, WorkerSetup } from '../engine/messages';
import { BUDGET, workerCount } from '../engine/size';
import { Workers } from '../engine/workers';
import { EmbedError } from '../errors';
import type { EmbedModel } from '../folder/modelFolder';

export interface EngineWishes {
  /** The worker's program, a file of its own. */
  readonly workerFile: string;
  readonly device: WishedDevice;
  readonly workers?: number | undefined;
  /** Tokens a batch: rows × longest. */
  readonly batchTokens?: number | undefined;
  /** Texts a batch at most. */
  readonly batchRows?: number | undefined;
}

export interface StartedEngine {
  readonly workers: Workers;
  readonly dimensions: number | null;
  readonly device: Device;
  /** Which device, and why. */
  readonly why: string;
  readonly budget: number;
  readonly mostRows: number;
}

/** Loads the model in its workers. */
export async function startEngine(model: EmbedModel, wishes: EngineWishes): Promise<StartedEngine> {
  const chosen = chooseDevice(wishes.device);
  try {
    return await started(model, wishes, chosen);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
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
    return started(model, wishes, instead);
  }
}

const firstLine = (text: string): string => (text.split('\n')[0] ?? '').slice(0, 300);

async function started(
  model: EmbedModel,
  wishes: EngineWishes,
  { device, why }: ChosenDevice,
): Promise<StartedEngine> {
  const { onnx, poolings, normalize, dimensions } = model;
  const setup: WorkerSetup = { onnx, device, poolings, normalize, dimensions };
  const count = await workerCount(onnx, device, wishes.workers);
  const { workers, dimensions: known } = await Workers.start(wishes.workerFile, setup, count);
  const usual = device === 'cpu' ? BUDGET.cpu : BUDGET.gpu;
  return {
    workers,
    dimensions: known,
    device,
    why,
    budget: wishes.batchTokens ?? usual,
    // Activations get one scale a call: a text's vector would depend on the texts beside it.
    mostRows: model.precision === 'int8' ? 1 : (wishes.batchRows ?? Infinity),
  };
}
