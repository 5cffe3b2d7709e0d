import type { Dtype, Head, Method } from '../../spec/values';
import { count, countOrNone, flag, number, oneOf, word, words } from '../engine/readers';
import type { ValueReader } from '../engine/readers';
import { plainSize } from '../shared/imageSize';
import { dtypeWord } from '../shared/words';
import { deviceWords } from '../shared/deviceWords';
import type { RowKind } from './rows';

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

/** Words of trainers for their precision; `-mixed` keeps the weights in fp32. */
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
  const said = Number(stated);
  return said === 2 || said === 3 || said === 4 || said === 8
    ? { ok: said }
    : { unfit: 'is none of 2, 3, 4, 8 bits' };
};

const stage: ValueReader<0 | 1 | 2 | 3> = value => {
  const said = Number(value);
  return said === 0 || said === 1 || said === 2 || said === 3
    ? { ok: said }
    : { unfit: 'is none of 0, 1, 2, 3' };
};

const never: ValueReader<never> = () => null;

/** How values of a kind are read. */
export const readers: Readonly<Record<RowKind, ValueReader<unknown>>> = {
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
};

/** All meanings of a kind, where they are few. */
export const meanings: Readonly<Partial<Record<RowKind, readonly string[]>>> = {
  flag: ['true', 'false'],
  // auto: as the checkpoint has it.
  precision: ['fp32', 'bf16-mixed', 'bf16', 'fp16-mixed', 'fp16', 'fp8', 'auto'],
  dtype: ['fp32', 'bf16', 'fp16'],
  method: Object.keys(METHODS),
  head: HEADS,
  bits: ['4', '8'],
  stage: ['0', '1', '2', '3'],
};
