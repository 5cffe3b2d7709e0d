import { isUnknown } from '../../spec/quantity';
import type { Quantity } from '../../spec/quantity';
import type { Dtype, Quantization } from '../../spec/values';
import type { WriterTable, Written } from '../dialect';
import { oneOf } from '../engine/readers';
import { refuse } from './writing';
import type { RunReader } from '../engine/runReader';
import { ownOf } from '../../yaml/tables';

const QUANTIZED: Readonly<Record<string, Pick<Quantization, 'bits' | 'method' | 'type'>>> = {
  awq: { bits: 4, method: 'awq', type: null },
  awq_marlin: { bits: 4, method: 'awq', type: null },
  gptq: { bits: null, method: 'gptq', type: null },
  gptq_marlin: { bits: null, method: 'gptq', type: null },
  fp8: { bits: 8, method: 'other', type: 'fp8' },
  bitsandbytes: { bits: 4, method: 'bnb', type: 'nf4' },
  'bitsandbytes-nf4': { bits: 4, method: 'bnb', type: 'nf4' },
  'bitsandbytes-fp4': { bits: 4, method: 'bnb', type: 'fp4' },
  eetq: { bits: 8, method: 'other', type: 'eetq' },
};

/** Quantized weights by an engine's flag; without the flag the checkpoint may itself be quantized. */
export const servedQuantization =
  (key: string) =>
  (run: RunReader): Quantity<Quantization> | null => {
    const word = run.word(key);
    if (word === null) return null;
    const known = ownOf(QUANTIZED, word.toLowerCase()) ?? {
      bits: null,
      method: 'other' as const,
      type: word,
    };
    return run.at(key, { ...known, doubleQuant: null, computeDtype: null, storageDtype: null });
  };

const KV_DTYPES = oneOf<Dtype | null>({
  auto: null,
  bfloat16: 'bf16',
  bf16: 'bf16',
  float16: 'fp16',
  half: 'fp16',
  fp16: 'fp16',
  fp8: 'fp8',
  fp8_e4m3: 'fp8',
  fp8_e5m2: 'fp8',
  fp8_e4m3fn: 'fp8',
  fp8_inc: 'fp8',
});

/** Dtype of keys and values; `auto` is the compute dtype. */
export const kvCacheDtype =
  (key: string) =>
  (run: RunReader): Quantity<Dtype> | null => {
    const dtype = run.has(key) ? run.read(key, KV_DTYPES) : null;
    return dtype === null ? null : run.at(key, dtype);
  };

/** An engine starts on as many GPUs as it has ranks. */
export function servedDevices(run: RunReader): Quantity<number | 'auto'> {
  const parallel = run.get('parallel').value;
  if (parallel === null) return run.unknown('The number of GPUs is not in the files.');
  const ranks = parallel.tensor * parallel.pipeline * (parallel.dataReplicate ?? 1);
  return run.derived(ranks, ['parallel'], 'tensor × pipeline × data-parallel ranks');
}

/** `tp2`, `tp8 pp2`: how the model is split. */
export function servedStrategy(run: RunReader): Quantity<string> {
  const parallelism = run.get('parallel');
  if (isUnknown(parallelism)) return run.unknown('How many ranks share the model is not known.');
  const parallel = parallelism.value;
  const words = [
    ...(parallel && parallel.tensor > 1 ? [`tp${parallel.tensor}`] : []),
    ...(parallel && parallel.pipeline > 1 ? [`pp${parallel.pipeline}`] : []),
  ];
  return words.length > 0
    ? run.derived(words.join(' '), ['parallel'], 'the ranks')
    : run.none('one rank has the whole model');
}

const refuses = (why: string) => (): Written => refuse(why);

/** An engine does not train, so it has no key for these. */
export const servingWriters: WriterTable = {
  microBatchSize: refuses(
    'An engine makes its own batches: it fills what memory is left with keys and values.',
  ),
  gradAccum: refuses('Serving takes no gradients.'),
  gradientCheckpointing: refuses('Serving keeps nothing for a backward pass.'),
  optimizer: refuses('Serving has no optimizer.'),
  method: refuses('Serving trains nothing.'),
  parallel: refuses('How many GPUs share the model is decided where they are asked for, too.'),
};
