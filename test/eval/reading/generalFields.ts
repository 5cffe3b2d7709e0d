import type { Origin, Quantity } from '../../../src/core/spec/quantity';
import type { RunSpec } from '../../../src/core/spec/runSpec';
import { quantityUnits } from '../../../src/core/spec/names';
import { gotOf } from './fields';
import type { Got } from './fields';

/** Fields of a record of expected-general.jsonl that describe the run (dialects/README_general.md). */
export const generalFields = [
  'task',
  'model',
  'batch_size',
  'batch_unit',
  'batch_scope',
  'batch_key',
  'per_device_batch',
  'grad_accum',
  'seq_len',
  'img_size',
  'precision',
  'precision_raw',
  'accelerator',
  'devices',
  'nodes',
  'strategy',
  'optimizer',
  'gradient_checkpointing',
  'eval_batch_size',
  'eval_scope',
  'num_workers',
  'effective_batch',
] as const;

/** The answers for a run, in the words of the expected file. */
export function generalAnswers(
  run: RunSpec,
  usualKey: string | null = null,
): Record<(typeof generalFields)[number], Got> {
  const q = run.quantities;
  const isGlobal = isStated(q.globalBatchSize.origin) || leftOpen(q.globalBatchSize.origin) !== null;
  const batch = isGlobal ? q.globalBatchSize : q.microBatchSize;
  const scope = isGlobal ? 'global' : 'per_device';
  return {
    task: gotOf(q.task, inTheirWords(q.task.value)),
    model: gotOf(q.model),
    batch_size: gotOf(batch),
    batch_unit: gotOf(batch, batch.unit ?? quantityUnits.microBatchSize),
    batch_scope: gotOf(batch, batch.value === null && leftOpen(batch.origin) === null ? null : scope),
    batch_key: gotOf(batch, keyOf(batch.origin) ?? usualKey),
    per_device_batch: gotOf(q.microBatchSize),
    grad_accum: gotOf(q.gradAccum),
    seq_len: gotOf(q.seqLen),
    img_size: gotOf(q.imageSize),
    precision: gotOf(q.precision),
    precision_raw: gotOf(q.precisionRaw),
    accelerator: gotOf(q.accelerator),
    devices: gotOf(q.devices),
    nodes: gotOf(q.nodes),
    strategy: gotOf(q.strategy),
    optimizer: gotOf(q.optimizer),
    gradient_checkpointing: gotOf(q.gradientCheckpointing),
    eval_batch_size: gotOf(q.evalBatchSize, q.evalBatchSize.total ?? q.evalBatchSize.value),
    eval_scope: gotOf(q.evalBatchSize, evalScope(q.evalBatchSize)),
    num_workers: gotOf(q.numWorkers),
    effective_batch: gotOf(q.effectiveBatch),
  };
}

/** The key that states a value, even if another one only points to it (`${a.b}`). */
function keyOf(origin: Origin): string | null {
  if ('at' in origin) return origin.at.path;
  if (leftOpen(origin) !== null) return leftOpen(origin);
  const points = origin.kind === 'derived' && origin.formula.includes('${');
  return points ? (origin.from[0] ?? null) : null;
}

/** The records' words for our tasks: serving is their kind, not a task. */
const TASKS: Readonly<Record<string, string | null>> = { infer: null, embed: 'embedding' };

const inTheirWords = (task: string | null): string | null =>
  task !== null && task in TASKS ? (TASKS[task] ?? null) : task;

function evalScope({ value, total }: Quantity<number>): string | null {
  if (total !== undefined) return 'global';
  return value === null ? null : 'per_device';
}

/** The key that exists but leaves its value open: `batch: 0.7` is determined when training starts. */
const leftOpen = (origin: Origin): string | null =>
  origin.kind === 'unresolved' ? (origin.key?.path ?? null) : null;

const isStated = (origin: Origin): boolean => origin.kind === 'file' || origin.kind === 'referenced';
