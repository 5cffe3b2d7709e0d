import { frameworkIdOf } from '../../spec/frameworkId';
import type { Quantity } from '../../spec/quantity';
import type { RunSpec } from '../../spec/runSpec';

const VLLM = 'vllm';

/** The engine next to training as if it served the model alone with this share; null: there is none, or no share is known. */
export function rolloutEngineRun(
  run: RunSpec,
  share = run.details.memoryShare?.value ?? null,
): RunSpec | null {
  const engine = run.details.rolloutEngine?.value ?? null;
  if (engine === null || share === null || share <= 0) return null;
  const said = <T>(value: T | null): Quantity<T> => ({ value, origin: run.quantities.task.origin });
  const tensor = engine.tensor ?? 1;
  const parallel = { tensor, context: 1, pipeline: 1, expert: 1, dataShard: null, dataReplicate: null };
  return {
    ...run,
    framework: { id: frameworkIdOf(VLLM), name: VLLM, version: run.framework.libraries?.[VLLM] ?? null },
    quantities: {
      ...run.quantities,
      task: said('infer'),
      loadDtype: said<'bf16'>('bf16'),
      quantization: said<never>(null),
      lora: said<never>(null),
      parallel: said(tensor > 1 ? parallel : null),
      zeroStage: said<never>(null),
      fsdp: said<never>(null),
      offload: said<never>(null),
      ...(engine.length !== null && { seqLen: said(engine.length) }),
    },
    details: {
      memoryShare: said(share),
      kvCache: said(true),
      maxSequences: said(engine.sequences),
      prefillTokens: said(engine.tokens),
    },
  };
}
