import type { Dtype, Head, Method } from '../../spec/values';
import { count, countOrNone, flag, number, oneOf, text, unlessAuto, word, words } from '../engine/readers';
import type { ReadResult, ValueReader } from '../engine/readers';
import type { Plain } from '../../yaml/scalars';
import { dtypeWord, valueText } from '../shared/words';
import { lightningDevices, lightningPrecision } from '../shared/lightning';
import { deviceList, unlessMissing } from '../shared/toolkit';
import { items, largestSquare, mixedName, mixedWord, pixels, plainSize } from '../shared/vision';
import type { ScalarValue } from '../../yaml/node';
import { deviceWords } from '../shared/toolkit';

const METHODS = { full: 'full', lora: 'lora', qlora: 'qlora', freeze: 'freeze', prompt: 'prompt' } as const;

const HEADS = [
  'causal-lm',
  'base',
  'masked-lm',
  'sequence-classification',
  'token-classification',
  'image-classification',
  'detector',
  'segmenter',
  'seq2seq',
  'denoiser',
  'ctc',
] as const satisfies readonly Head[];

/** Precision names of trainers; `-mixed` keeps the weights in fp32. */
const PRECISIONS: Readonly<Record<string, string>> = {
  '32': 'fp32',
  fp32: 'fp32',
  float32: 'fp32',
  float: 'fp32',
  '32-true': 'fp32',
  full: 'fp32',
  no: 'fp32',
  false: 'fp32',
  none: 'fp32',
  '16': 'fp16-mixed',
  fp16: 'fp16-mixed',
  float16: 'fp16-mixed',
  half: 'fp16-mixed',
  amp: 'fp16-mixed',
  '16-mixed': 'fp16-mixed',
  'fp16-mixed': 'fp16-mixed',
  amp_fp16: 'fp16-mixed',
  bf16: 'bf16-mixed',
  bfloat16: 'bf16-mixed',
  'bf16-mixed': 'bf16-mixed',
  amp_bf16: 'bf16-mixed',
  '16-true': 'fp16',
  'bf16-true': 'bf16',
  fp8: 'fp8',
};

const bits: ValueReader<2 | 3 | 4 | 8> = value => {
  const stated = typeof value === 'string' ? /^(?:nf|int|fp)?([2348])(?:-?bit)?$/i.exec(value)?.[1] : value;
  const parsed = Number(stated);
  return parsed === 2 || parsed === 3 || parsed === 4 || parsed === 8
    ? { ok: parsed }
    : { unfit: 'is not one of 2, 3, 4, 8 bits' };
};

const stage: ValueReader<0 | 1 | 2 | 3> = value => {
  const parsed = Number(value);
  return parsed === 0 || parsed === 1 || parsed === 2 || parsed === 3
    ? { ok: parsed }
    : { unfit: 'is not one of 0, 1, 2, 3' };
};

const never: ValueReader<never> = () => null;

/** How values of a kind are read. */
export const readers = {
  word,
  words,
  flag,
  count,
  countOrNone,
  number,
  size: plainSize,
  devices: deviceWords,
  precision: oneOf(PRECISIONS),
  dtype: dtypeWord satisfies ValueReader<Dtype>,
  method: oneOf<Method>(METHODS),
  head: oneOf<Head>(Object.fromEntries(HEADS.map(head => [head, head]))),
  bits,
  stage,
  none: never,
  lora: never,
  quantization: never,
  fsdp: never,
  offload: never,
  parallel: never,
  text,
  any: value => (value === null ? null : { ok: value }),
  written: value => (value === null ? null : { ok: valueText(value) }),
  split: value => {
    const listed = words(value);
    if (listed === null || !('ok' in listed)) return listed;
    const parts = listed.ok.flatMap(one => one.split(',')).map(one => one.trim());
    return { ok: parts.filter(one => one !== '') };
  },
  amp: flagAs('fp16-mixed', 'fp32'),
  negated: flagAs(false, true),
  autoCount: unlessAuto(count),
  overlaidCount: unlessMissing(count),
  overlaidWord: unlessMissing(word),
  heightWidth: pixels('hw'),
  widthHeight: pixels('wh'),
  largestSide: largestSquare,
  indices: deviceList,
  listLength: listedAs(numbers => numbers.length),
  largestOf: listedAs(numbers => Math.max(...numbers)),
  largestCount,
  sum: listedAs(numbers => numbers.reduce((total, one) => total + one, 0)),
  countOrAuto: value => (value === 'auto' ? { ok: 'auto' } : countOrNone(value)),
  countOrAll: value => (value === -1 ? { ok: 'auto' } : count(value)),
  countUnlessAll: value => (value === -1 || value === '-1' ? null : count(value)),
  deviceKind: value => (typeof value === 'string' ? { ok: value.replace(/:\d+$/, '') } : null),
  withoutSchedule: value => (typeof value === 'string' ? { ok: value.replace(/_with_schedule$/, '') } : null),
  mixed: mixedWord,
  lightningDevices,
  lightningPrecision,
} as const satisfies Readonly<Record<string, ValueReader<unknown>>>;

/** How a row's values are read, and what they are. */
export type RowKind = keyof typeof readers;

/** How values of a kind are written, if not as they are read. */
export const kindWriters: Readonly<Partial<Record<RowKind, (to: unknown) => ScalarValue>>> = {
  amp: to => (to === 'fp32' ? false : String(to).startsWith('fp16') ? true : null),
  negated: to => to !== true,
  mixed: to => mixedName(String(to)),
};

/** A list of numbers as one number. */
function listedAs(one: (numbers: readonly number[]) => number): ValueReader<number> {
  return value => {
    const numbers = items(value)?.map(Number) ?? [];
    return numbers.length === 0 ? null : { ok: one(numbers) };
  };
}

/** A batch; for a list with one per stage of a schedule, the largest. `auto` leaves it to the program. */
function largestCount(value: Plain): ReadResult<number> {
  if (value === 'auto') return { left: 'is auto: the program finds it out' };
  if (!Array.isArray(value)) return typeof value === 'object' ? null : count(value);
  const all = value.map(one => (typeof one === 'number' ? one : Number.NaN));
  return all.length > 0 && all.every(Number.isInteger) ? { ok: Math.max(...all) } : null;
}

/** A switch with the meanings of on and off. */
function flagAs<T>(on: T, off: T): ValueReader<T> {
  return value => {
    const read = flag(value);
    return read !== null && 'ok' in read ? { ok: read.ok ? on : off } : read;
  };
}

/** All values of a kind, if there are few. */
export const meanings: Readonly<Partial<Record<RowKind, readonly string[]>>> = {
  flag: ['true', 'false'],
  // auto: the checkpoint's dtype.
  precision: ['fp32', 'bf16-mixed', 'bf16', 'fp16-mixed', 'fp16', 'fp8', 'fp64', 'auto'],
  dtype: ['fp32', 'bf16', 'fp16'],
  method: Object.keys(METHODS),
  head: HEADS,
  bits: ['4', '8'],
  stage: ['0', '1', '2', '3'],
};
