import type { Quantity } from '../../spec/quantity';
import type { Method } from '../../spec/values';
import type { QuantityTable, Rule } from '../dialect';
import type { ReadResult, ValueReader } from '../engine/readers';
import type { RunReader } from '../engine/runReader';
import type { Plain } from '../../yaml/scalars';
import { valueText } from './words';

/** A size in pixels, as in quantities. */
export type Size = readonly [width: number, height: number];

/** A list, or Python's tuple or list as text: `(224, 224)`, `('5')`. Null for other values. */
export function items(value: Plain): readonly Plain[] | null {
  if (Array.isArray(value)) return value as readonly Plain[];
  const inside = typeof value === 'string' ? /^\s*[([](.*)[)\]]\s*$/s.exec(value)?.[1] : undefined;
  if (inside === undefined) return null;
  const parts = inside.split(',').map(part => part.trim().replace(/^(['"])(.*)\1$/, '$2'));
  return parts.filter(part => part !== '').map(part => (Number.isNaN(Number(part)) ? part : Number(part)));
}

const isSide = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0;

/** `224`, or `[32, 128]` in file order, also as text: `(512, 512)`. */
export const plainSize: ValueReader<readonly [number, number]> = value => {
  if (isSide(value)) return { ok: [value, value] };
  const sides = items(value);
  if (sides?.length !== 2) return null;
  const [first, second] = sides;
  return isSide(first) && isSide(second) ? { ok: [first, second] } : null;
};

const NO_SIZE: ReadResult<never> = { unfit: 'is not a size in pixels' };

const asSize = ([first, second]: readonly unknown[], order: 'hw' | 'wh'): ReadResult<Size> => {
  if (!isSide(first) || !isSide(second)) return NO_SIZE;
  return { ok: order === 'wh' ? [first, second] : [second, first] };
};

/** A side, a pair in the framework's order, `512x512`, `512,512`, or `{h, w}`; the last two of more than two numbers. */
export function pixels(order: 'hw' | 'wh'): ValueReader<Size> {
  return value => {
    if (value === null || typeof value === 'boolean') return null;
    const numbers = sidesOf(value);
    return numbers.length === 1 ? asSize([numbers[0], numbers[0]], order) : asSize(numbers.slice(-2), order);
  };
}

function sidesOf(value: Plain): readonly unknown[] {
  const listed = items(value);
  if (listed) return listed;
  if (typeof value === 'number') return [value];
  if (typeof value === 'string') return value.split(/[x×,]/).map(Number);
  return [];
}

/** Images in several sizes, of which the largest decides the memory: a number or a list of square sides. */
export const largestSquare: ValueReader<Size> = value => {
  if (value === null) return null;
  const sides = sidesOf(value);
  const largest = Math.max(...sides.map(Number));
  return sides.length > 0 && isSide(largest) ? { ok: [largest, largest] } : NO_SIZE;
};

/** The key and its value as written: `SOLVER.AMP.ENABLED True`. */
export const rawRow = (...keys: readonly string[]): Rule<string> => {
  return run => {
    const statedKey = keys.find(key => run.has(key));
    if (statedKey === undefined) return run.unknown(`${keys[0] ?? ''} is not set.`);
    const value = run.value(statedKey);
    return run.at(
      statedKey,
      `${statedKey} ${typeof value === 'boolean' ? (value ? 'True' : 'False') : valueText(value)}`,
    );
  };
};

/** Accelerate's `mixed_precision`, and equivalent flags of some scripts. */
export const mixedWord: ValueReader<string> = value => {
  if (typeof value === 'object') return null;
  const text = String(value).toLowerCase();
  if (/^(?:no|none|false|fp32|float32)$/.test(text)) return { ok: 'fp32' };
  if (/^(?:true|fp16|float16)$/.test(text)) return { ok: 'fp16-mixed' };
  return /^(?:bf16|bfloat16)$/.test(text) ? { ok: 'bf16-mixed' } : { unfit: 'is not one of no, fp16, bf16' };
};

export const mixedName = (to: string): string | null =>
  to === 'fp32' ? 'no' : /^(?:fp16|bf16)/.test(to) ? to.slice(0, 4) : null;

/** All weights are trained in fp32, one process per GPU, without sharding. */
export function wholeModel(source: string) {
  return {
    method: (run: RunReader): Quantity<Method> => run.byCode<Method>('full', source),
    loadDtype: (run: RunReader) => run.byCode('fp32' as const, source),
    quantization: (run: RunReader) => run.none(source),
    lora: (run: RunReader) => run.none(source),
    zeroStage: (run: RunReader) => run.none(source),
    fsdp: (run: RunReader) => run.none(source),
    offload: (run: RunReader) => run.none(source),
    parallel: (run: RunReader) => run.none(source),
  } satisfies QuantityTable;
}

/** One GPU's share of a global batch. */
export function shareOf(run: RunReader): Quantity<number> {
  const global = run.get('globalBatchSize').value;
  if (global === null) return run.unknown('The global batch is not known.');
  const gpus = run.get('gpus').value;
  if (gpus === null) return run.unknown(`${global} over all GPUs, whose number is not in the files.`);
  const share = Math.floor(global / Math.max(gpus, 1));
  if (share < 1) return run.unknown(`${global} cannot be shared among ${gpus} GPUs.`);
  return run.derived(share, ['globalBatchSize', 'gpus'], `${global} ÷ ${gpus} GPUs`);
}
