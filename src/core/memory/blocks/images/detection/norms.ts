import { batchNorm, buildBatchNorm, groupNorm } from '../../../ops/norm';
import { add, mean, mul, rsqrt, scale, shift } from '../../../ops/pointwise';
import { bytesPer } from '../../../tensor';
import { batchNormed } from '../layers';
import type { BuildNorm } from '../layers';

/**
 * detectron2's FrozenBatchNorm2d (layers/batch_norm.py): `x * scale + bias` with buffers if x requires a gradient,
 * keeping no maps; otherwise one kernel.
 */
const frozen: BuildNorm = (builder, { channels }) => {
  for (let i = 0; i < 4; i++) builder.buffer(channels * bytesPer('fp32'));
  return (tape, x) => (x.node ? shift(tape, scale(tape, x)) : scale(tape, x));
};

/** BatchNorm2d in evaluation mode during training (mmdet, norm_eval): still keeps its input. */
const evaluated: BuildNorm = (builder, { channels }) => {
  const norm = buildBatchNorm(builder, channels);
  return (tape, x) => batchNorm(tape, x, norm);
};

/** GroupNorm in 32 groups. */
const grouped: BuildNorm = (builder, { batch, channels }) => {
  const norm = { weight: builder.vector(channels), bias: builder.vector(channels), groups: 32 * batch };
  return (tape, x) => groupNorm(tape, x, norm);
};

/**
 * detectron2's NaiveSyncBatchNorm (layers/batch_norm.py), its SyncBN with torch up to 1.5: averages over all ranks,
 * and then `input * scale + bias` in separate operations.
 */
const synchronized: BuildNorm = (builder, { channels }) => {
  const { weight, bias } = buildBatchNorm(builder, channels);
  return (tape, x) =>
    tape.call([x], () => {
      const size = x.elements / channels;
      const average = tape.name(mean(tape, x, size));
      const squares = tape.name(mean(tape, mul(tape, x, x), size));
      const variance = tape.name(add(tape, squares, mul(tape, average, average)));
      const factor = tape.name(mul(tape, weight, tape.name(rsqrt(tape, variance))));
      const offset = tape.name(add(tape, bias, mul(tape, average, factor)));
      return add(tape, mul(tape, x, factor), offset);
    });
};

const NORMS: Readonly<Record<string, BuildNorm>> = {
  frozen,
  evaluated,
  group: grouped,
  batch: batchNormed,
  synchronised: synchronized,
};

/** The norm in a detector's facts; default: BatchNorm. */
export const normNamed = (name: unknown): BuildNorm =>
  typeof name === 'string' && Object.hasOwn(NORMS, name) ? (NORMS[name] ?? batchNormed) : batchNormed;
