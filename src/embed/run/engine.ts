import type { Engine } from '../engine/engine';
import { OnnxEngine } from '../engine/onnxEngine';
import type { OnnxWishes } from '../engine/onnxEngine';
import { BUDGET } from '../engine/size';
import { EmbedError } from '../errors';
import type { EmbedModel } from '../folder/modelFolder';
import { PythonEngine } from '../python/engine';
import type { Interpreter } from '../python/process';

export interface EngineWishes extends OnnxWishes {
  /** Where sentence-transformers runs; null: nobody said. */
  readonly python: Interpreter | null;
  /** Tokens a batch: rows × longest. */
  readonly batchTokens?: number | undefined;
  /** Texts a batch at most. */
  readonly batchRows?: number | undefined;
}

export interface StartedEngine {
  readonly engine: Engine;
  readonly budget: number;
  readonly mostRows: number;
}

/** Loads the model where it runs. */
export async function startEngine(model: EmbedModel, wishes: EngineWishes): Promise<StartedEngine> {
  const engine = await engineOf(model, wishes);
  const usual = engine.device === 'cpu' ? BUDGET.cpu : BUDGET.gpu;
  return {
    engine,
    budget: wishes.batchTokens ?? usual,
    // Activations get one scale a call: a text's vector would depend on the texts beside it.
    mostRows: model.precision === 'int8' ? 1 : (wishes.batchRows ?? Infinity),
  };
}

function engineOf(model: EmbedModel, wishes: EngineWishes): Promise<Engine> {
  if (model.runtime === 'onnxruntime') return OnnxEngine.start(model, wishes);
  if (wishes.python) return PythonEngine.start(model, wishes.python, wishes.device);
  throw new EmbedError('engine', 'There is no Python here: name one with --python PATH.');
}
