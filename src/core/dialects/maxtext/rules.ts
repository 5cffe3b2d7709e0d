import type { Quantity } from '../../spec/quantity';
import type { Dtype, ParallelSettings } from '../../spec/values';
import type { Row } from '../dialect';
import { number } from '../engine/readers';
import type { ValueReader } from '../engine/readers';
import type { RunReader } from '../engine/runReader';
import { dtypeWord, torchName } from '../shared/words';

export const dtype = <T extends string>(key: string, value: Dtype & T, source: string): Row<T> => ({
  keys: [key],
  read: dtypeWord as ValueReader<Dtype & T>,
  absent: { value, source },
  write: torchName,
});

const BATCH = 'per_device_batch_size';

/** A number with a point: below 1 devices share a row. */
export function microBatch(run: RunReader): Quantity<number> {
  if (!run.has(BATCH)) return run.byDefault(12, 'configs/base.yml: per_device_batch_size is 12.0');
  const rows = run.read(BATCH, number);
  if (rows === null || rows < 1) return run.unknown(`${BATCH} is below 1: devices share one row.`);
  return run.at(BATCH, Math.ceil(rows));
}

/** `minimal` keeps the products of a layer, `full` its input alone. */
export function remat(run: RunReader): Quantity<boolean> {
  const key = 'remat_policy';
  if (!run.has(key)) return run.byDefault(true, 'configs/base.yml L358: remat_policy is full');
  return run.at(key, run.word(key) !== 'none');
}

const AXES = [
  'ici_tensor_parallelism',
  'ici_context_parallelism',
  'ici_pipeline_parallelism',
  'ici_expert_parallelism',
];

/** -1: what is left of the devices. */
export function parallel(run: RunReader): Quantity<ParallelSettings> {
  if (!AXES.some(key => run.has(key))) return run.none('configs/base.yml: every axis but FSDP is 1');
  const degrees = AXES.map(key => run.read(key, number) ?? 1);
  if (degrees.some(degree => degree < 1)) {
    return run.unknown('An axis is -1: it takes what is left of the devices.');
  }
  const [tensor = 1, context = 1, pipeline = 1, expert = 1] = degrees;
  return run.at(AXES, { tensor, context, pipeline, expert, dataShard: null, dataReplicate: null });
}
