import { plannedBatch } from '../engine/budget';
import type { BatchBytes, BatchPlan } from '../engine/budget';
import { ALONE_FROM_TOKENS } from '../engine/batches';
import type { BatchLimits } from '../engine/batches';
import type { Engine } from '../engine/engine';
import { OnnxEngine } from '../engine/onnxEngine';
import type { OnnxSettings } from '../engine/onnxEngine';
import { EmbedError } from '../errors';
import type { EmbedModel } from '../folder/modelFolder';
import { PythonEngine } from '../python/engine';
import type { Interpreter } from '../python/process';

export interface EngineSettings extends OnnxSettings {
  /** The Python that runs sentence-transformers; null: none was given. */
  readonly python: Interpreter | null;
  /** Tokens per batch: rows × longest. */
  readonly batchTokens?: number | undefined;
  /** The maximum number of texts per batch. */
  readonly batchRows?: number | undefined;
  /** The memory model for batches; null if it does not know the model. */
  readonly bytesOf?: Promise<BatchBytes | null> | undefined;
}

export interface StartedEngine {
  readonly engine: Engine;
  readonly batch: BatchPlan;
  readonly limits: BatchLimits;
}

/** Loads the model on its device. */
export async function startEngine(model: EmbedModel, settings: EngineSettings): Promise<StartedEngine> {
  const engine = await engineOf(model, settings);
  // Activations get one scale per call, so a text's vector would depend on the other texts of its batch.
  const mostRows = model.precision === 'int8' ? 1 : (settings.batchRows ?? Infinity);
  const batch = plannedBatch({
    isCpu: engine.device === 'cpu',
    requestedTokens: settings.batchTokens,
    longest: model.maxTokens,
    mostRows,
    count: engine.count,
    bytesOf: (await settings.bytesOf) ?? null,
    freeBytes: engine.freeBytes,
  });
  const isOurCpu = model.runtime === 'onnxruntime' && engine.device === 'cpu';
  return { engine, batch, limits: { rows: mostRows, aloneFrom: isOurCpu ? ALONE_FROM_TOKENS : Infinity } };
}

function engineOf(model: EmbedModel, settings: EngineSettings): Promise<Engine> {
  if (model.runtime === 'onnxruntime') return OnnxEngine.start(model, settings);
  if (settings.python) return PythonEngine.start(model, settings.python, settings.device);
  throw new EmbedError('engine', 'No Python found. Choose one with --python PATH.');
}
