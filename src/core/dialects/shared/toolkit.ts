import type { Rule } from '../dialect';
import { shareOfGlobal } from '../engine/common';
import type { ValueReader } from '../engine/readers';
import type { RunReader } from '../engine/runReader';
import type { Quantity, Unit } from '../../spec/quantity';
import type { Plain } from '../../yaml/scalars';

const CPU = /^(?:cpu|mps|none|no)$/i;
const ONE = /^(?:cuda|gpu)(?::\d+)?$/i;
const LIST = /^(?:cuda:)?[[(]?\s*(\d+(?:\s*,\s*\d+)*)\s*(?:,\s*)?[\])]?$/;

/**
 * Number of GPUs in a device value: `cuda`, `cuda:1` and an index are one, `0,1` and `[0, 1]` two, `cpu` none,
 * `auto` all.
 */
export const deviceWords: ValueReader<number | 'auto'> = value => {
  if (Array.isArray(value)) return { ok: (value as readonly Plain[]).length };
  if (typeof value === 'number') return gpusOf(value);
  if (typeof value !== 'string') return null;
  if (value === 'auto' || value === '-1' || value === '') return { ok: 'auto' };
  if (CPU.test(value)) return { ok: 0 };
  if (ONE.test(value)) return { ok: 1 };
  if (/^\d+$/.test(value)) return gpusOf(Number(value));
  const list = LIST.exec(value)?.[1];
  return list === undefined ? null : { ok: list.split(',').length };
};

/** A plain number is a count; −1 means all. */
function gpusOf(value: number): { readonly ok: number | 'auto' } | null {
  if (value === -1) return { ok: 'auto' };
  return Number.isInteger(value) && value >= 0 ? { ok: value } : null;
}

/** Hydra's `???`: an overlay of this file sets the value. */
export const unlessMissing =
  <T>(reader: ValueReader<T>): ValueReader<T> =>
  value =>
    value === '???' ? { left: 'is ???: a config that lies over this one fills it in' } : reader(value);

/** A count at a key in its unit; null if absent. */
export function counted(run: RunReader, key: string, unit: Unit): Quantity<number> | null {
  const value = run.count(key);
  return value === null ? null : run.inUnit(unit, run.at(key, value));
}

/** One GPU's share of a global batch; without a GPU, all of it. */
export function shareOfBatch(run: RunReader): Quantity<number> {
  const total = run.get('globalBatchSize');
  if (total.value === null) return run.unknown('The batch of all GPUs together is not known.');
  if (run.get('gpus').value === 0) return run.derived(total.value, ['globalBatchSize'], 'all on the CPU');
  const share = shareOfGlobal(run, total);
  return share.value === null || total.unit === undefined ? share : run.inUnit(total.unit, share);
}

/** For a batch that is divided among the GPUs in each pass, with accumulated passes. */
export function effectiveOfShared(run: RunReader): Quantity<number> {
  const { value, unit } = run.get('globalBatchSize');
  const accumulated = run.get('gradAccum').value;
  if (value === null || accumulated === null) {
    return run.unknown('The batch of all GPUs together is not known.');
  }
  const names = ['globalBatchSize', 'gradAccum'];
  const answer = run.derived(value * accumulated, names, `${value} over all GPUs × ${accumulated}`);
  return unit === undefined ? answer : run.inUnit(unit, answer);
}

/** For a batch per GPU: times accumulated passes and all GPUs, in its own unit. */
export function effectiveOfMicro(run: RunReader): Quantity<number> {
  const { value, unit } = run.get('microBatchSize');
  const accumulated = run.get('gradAccum').value;
  const gpus = run.get('gpus').value;
  if (value === null || accumulated === null) {
    return run.unknown('The micro batch or the accumulation is not known.');
  }
  if (gpus === null) {
    return run.unknown(`${value} × ${accumulated} per GPU; the number of GPUs is not in the files.`);
  }
  const names = ['microBatchSize', 'gradAccum', 'gpus'];
  const ranks = Math.max(gpus, 1);
  const answer = run.derived(value * accumulated * ranks, names, `${value} × ${accumulated} × ${ranks}`);
  return unit === undefined ? answer : run.inUnit(unit, answer);
}

/** `"0,1"`, `"[0,1]"`, `[0, 1]` or one index: the number of devices. */
export function deviceList(value: Plain): { readonly ok: number } | null {
  if (Array.isArray(value)) return { ok: value.length };
  if (value === null || typeof value === 'object' || typeof value === 'boolean') return null;
  const indices = String(value)
    .replaceAll(/[[\]]/g, '')
    .split(/[\s,]+/)
    .filter(Boolean);
  return indices.every(index => /^\d+$/.test(index)) ? { ok: indices.length } : null;
}

/** Encoder and decoder of speech toolkits: `conformer + transformer decoder`. */
export const encoderDecoder: Rule<string> = run => {
  const [encoder, decoder] = [run.word('encoder'), run.word('decoder')];
  if (encoder === null) return run.unknown('No encoder is named.');
  return run.at('encoder', decoder === null ? encoder : `${encoder} + ${decoder} decoder`);
};
