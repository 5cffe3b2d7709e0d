import { setUp } from '../core/memory/setup/setUp';
import type { MemoryRun } from '../core/memory/run';
import type { ModelFacts } from '../core/models/model';
import type { RunSpec } from '../core/spec/runSpec';
import { difference, plainRun } from './added';
import type { Added } from './added';
import { preferenceIn } from './preference';
import type { DryRunAdapters, DryRunDtype, DryRunModel, DryRunRequest } from './request';
import { OPTIMIZERS, unfollowed } from './unfollowed';

/** The request of a dry run, or why it cannot follow the run: sentences without a final period. */
export type Follow =
  | {
      readonly ok: true;
      readonly request: DryRunRequest;
      readonly notes: readonly string[];
      /** Computed differences to add, because they are not the model's own code; null: none. */
      readonly added: Added | null;
    }
  | { readonly ok: false; readonly why: readonly string[] };

export interface FollowOptions {
  readonly cacheFolder: string;
  readonly layers: DryRunRequest['layers'];
}

/**
 * A run as a dry run's request. All decisions are the same as for the estimate: the behavior of the framework's
 * version, and its assumed defaults for unset keys.
 */
export function follow(
  run: RunSpec,
  facts: ModelFacts,
  model: DryRunModel,
  { cacheFolder, layers }: FollowOptions,
): Follow {
  const found = setUp(run, facts, null);
  if (!found.ok) return { ok: false, why: found.missing.map(phrase => `missing: ${phrase}`) };
  const { memoryRun, assumptions } = found.plan;
  const other = plainRun(memoryRun, run.quantities.task.value);
  const followed = other?.plain ?? memoryRun;
  const why = unfollowed(run, followed);
  if (why.length > 0) return { ok: false, why };
  const request = { ...requestOf(run, followed), model, cacheFolder, layers };
  const added = other && difference(found.plan, other.plain, other.what);
  return { ok: true, request, notes: assumptions, added };
}

type Decided = Omit<DryRunRequest, 'model' | 'cacheFolder' | 'layers'>;

function requestOf(run: RunSpec, memoryRun: MemoryRun): Decided {
  const {
    batch: { image },
    recompute: { checkpointing },
    kernels: { attention },
    training: { optimizer },
    numbers: { quantization, upcast },
    task,
  } = memoryRun;
  const preference = preferenceIn(run, memoryRun);
  return {
    protocol: 1,
    task: 'dry run',
    head: memoryRun.head,
    training: task === 'train',
    rows: memoryRun.batch.rows,
    tokens: image ? null : memoryRun.batch.tokens,
    targets: memoryRun.batch.targets > 0 ? memoryRun.batch.targets : null,
    padded: memoryRun.batch.padded,
    image: image && { channels: image.channels, height: image.height, width: image.width },
    weights: memoryRun.numbers.weightDtype as DryRunDtype,
    autocast: memoryRun.numbers.autocast as DryRunDtype | null,
    widensOutputs: memoryRun.behavior.copiesOutputs,
    quantization: quantization === 'nf4' || quantization === 'nf4-dq' ? quantization : null,
    upcast: upcast === 'outer' ? 'none' : upcast,
    adapters: adaptersOf(run, memoryRun),
    checkpointing:
      checkpointing === 'reentrant' || checkpointing === 'non-reentrant' ? checkpointing : 'none',
    attention: attention === 'eager' ? 'eager' : 'sdpa',
    optimizer: optimizer ? (optimizer.names.map(name => OPTIMIZERS[name]).find(Boolean) ?? 'none') : 'none',
    accumulates: memoryRun.training.gradAccum > 1,
    useCache: task === 'train' ? null : memoryRun.generation.useCache,
    logitsToKeep: task === 'train' ? null : memoryRun.generation.logitsToKeep,
    ...(preference && { preference }),
  };
}

function adaptersOf(
  run: RunSpec,
  { training: { lora }, recompute: { inputGradients } }: MemoryRun,
): DryRunAdapters | null {
  if (!lora) return null;
  const stated = run.quantities.lora.value;
  return {
    r: lora.r,
    alpha: stated?.alpha ?? null,
    dropout: lora.dropout,
    targets: lora.targets,
    modulesToSave: lora.modulesToSave,
    dora: stated?.dora ?? false,
    rslora: stated?.rslora ?? false,
    dtype: lora.dtype as DryRunDtype,
    inputGradients,
  };
}
