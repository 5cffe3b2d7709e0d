import type { DeviceEstimate } from '../memory/estimate';
import { estimateRun } from '../memory/estimateRun';
import type { ModelFacts } from '../models/model';
import type { RunAnalysis } from '../rules/analysis';
import type { Quantity } from '../spec/quantity';
import { isUnknown } from '../spec/quantity';
import type { Quantities, RunSpec } from '../spec/runSpec';
import type { QuantityName } from '../spec/values';
import type { World } from './world';

/** The values that take least memory, for quantities that a run leaves open; hardly a row is shorter than so many tokens. */
const LEAST = {
  task: 'sft',
  seqLen: 16,
  microBatchSize: 1,
  gradAccum: 1,
  optimizer: 'sgd',
  loadDtype: 'bf16',
  precision: 'bf16',
  gradientCheckpointing: true,
  packing: false,
  zeroStage: 3,
} as const;

/** What decides between a full model and a part of it: without these, a lower bound says nothing. */
const DECISIVE: readonly QuantityName[] = ['method', 'lora', 'quantization', 'offload', 'fsdp'];

/** Models of texts; of one with a vision tower, the language model alone is a lower bound. */
const WRITING: ReadonlySet<ModelFacts['kind']> = new Set(['decoder', 'state-space', 'vision-language']);

/** The run with the verdict that it does not fit if that is certain although values are open: even the least exceeds the GPU. */
export function judgedByLeast(run: RunAnalysis, world: World): RunAnalysis {
  return leastOf(run, world)?.verdict === 'exceeds' ? { ...run, verdict: 'exceeds' } : run;
}

/**
 * The least that a training run without a verdict takes on a GPU, in bytes: every open quantity gets the value that takes
 * least. Null if the run has a verdict, or if even its trained part or its model's size are open.
 */
export function leastOf(analysis: RunAnalysis, { memory, hostMiB }: World): DeviceEstimate | null {
  const { run, model, target, verdict, tentative } = analysis;
  if (verdict !== 'unknown' || tentative || target === null || isOpen(run)) return null;
  if (model !== null && !WRITING.has(model.kind)) return null;
  const least = { ...run, quantities: withLeast(run.quantities) };
  const result = estimateRun(least, model, target, { session: memory, hostMiB });
  return result.ok ? (result.estimate.devices[0] ?? null) : null;
}

/** Scripts with their method in their name train adapters, whatever flags they get. */
function isOpen({ quantities, launched }: RunSpec): boolean {
  if (quantities.imageSize.value !== null || DECISIVE.some(name => isUnknown(quantities[name]))) return true;
  return quantities.lora.value === null && /lora/i.test(launched?.program ?? '');
}

function withLeast(quantities: Quantities): Quantities {
  const filled = Object.entries(LEAST).flatMap(([name, value]) => {
    const quantity: Quantity<unknown> = quantities[name as keyof typeof LEAST];
    return isUnknown(quantity) ? [[name, { ...quantity, value, origin: ASSUMED }] as const] : [];
  });
  return { ...quantities, ...(Object.fromEntries(filled) as Partial<Quantities>) };
}

const ASSUMED = { kind: 'derived', from: [], formula: 'what takes least' } as const;
