import type { Dtype, Quantization } from '../../../src/core/spec/values';

/** Numbers in a published record's words: weights, compute, autocast. */
interface Numbers {
  readonly loadDtype?: Dtype;
  readonly precision?: string;
  readonly autocast?: boolean;
  readonly adapterDtype?: Dtype;
}

const DTYPE: readonly (readonly [RegExp, Dtype])[] = [
  [/\b(?:fp32|float32|32-true)\b/, 'fp32'],
  [/\b(?:bf16|bfloat16|bf16-true)\b/, 'bf16'],
  [/\b(?:fp16|float16|16-true)\b/, 'fp16'],
];

function dtypeIn(text: string): Dtype | undefined {
  const found = DTYPE.map(([pattern, dtype]) => ({ dtype, at: text.search(pattern) })).filter(
    ({ at }) => at >= 0,
  );
  return found.toSorted((a, b) => a.at - b.at)[0]?.dtype;
}

/**
 * Dtypes of weights and compute: `weights bfloat16; no autocast`, `fp32 weights, bf16 AMP`, `bf16-true`, `fp16`.
 * Unstated parts stay unknown.
 */
export function numbersOf(words: string): Numbers {
  const text = words.toLowerCase();
  return sharded(text) ?? mastered(text) ?? ofWeights(text);
}

/** `bf16 + fp32 master`: weights and compute in 16 bits next to masters. */
function mastered(text: string): Numbers | null {
  const [before = '', after] = text.split('fp32 master');
  const dtype = after === undefined ? undefined : dtypeIn(before);
  const precision = text.includes('fp8') ? 'fp8' : dtype;
  return dtype && precision ? { loadDtype: dtype, precision, autocast: false } : null;
}

/** The dtype of the weights. */
function heldIn(text: string): string {
  const weights = /weights (\S+)|(\S+) (?:base weights|weights|base\b)/.exec(text);
  return weights?.[1] ?? weights?.[2] ?? '';
}

function ofWeights(text: string): Numbers {
  const mixed = /(?:autocast|amp|mixed|bf16=true|fp16=true)/.test(text) && !text.includes('no autocast');
  const held = heldIn(text);
  const stated = dtypeIn(held) ?? (mixed ? undefined : dtypeIn(text));
  const compute = mixed ? mixedDtype(text) : (stated ?? dtypeIn(text));
  // With quantized weights, all others are in the compute dtype.
  const loadDtype = stated ?? (/^(?:int8|fp8)/.test(held) ? compute : undefined);
  const adapter = /(?:adapter|lora) (?:weights )?(\S+)/.exec(text)?.[1];
  const adapterDtype = adapter === undefined ? undefined : dtypeIn(adapter);
  return {
    ...(loadDtype && { loadDtype }),
    ...(compute && { precision: compute }),
    autocast: mixed,
    ...(adapterDtype && { adapterDtype }),
  };
}

/** `fp32 sharded … bf16 compute`: FSDP gathers in another dtype than it stores, and there is no autocast. */
function sharded(text: string): Numbers | null {
  const [, held = '', computed = ''] = /(\S+) sharded.*?(\S+) compute/.exec(text) ?? [];
  const [loadDtype, precision] = [dtypeIn(held), dtypeIn(computed)];
  return loadDtype && precision ? { loadDtype, precision, autocast: false } : null;
}

function mixedDtype(text: string): Dtype | undefined {
  const after = /autocast (\S+)/.exec(text)?.[1];
  if (after !== undefined && dtypeIn(after)) return dtypeIn(after);
  const named = /(\S+?)[- ](?:autocast|amp|mixed)|(\w+)=true/.exec(text);
  return dtypeIn(named?.[1] ?? named?.[2] ?? '') ?? (text.includes('fp16') ? 'fp16' : dtypeIn(text));
}

/** `bnb nf4 (double quant)`, `bnb.nf4-dq`, `GPTQ int4` …; null: not quantized. */
export function quantizationOf(words: string | null, around = ''): Quantization | null {
  if (words === null) return null;
  // `Int4`, which the adjacent weights call GPTQ.
  const named = /^int\d$/i.test(words) && around.includes('GPTQ') ? `gptq ${words}` : words;
  const text = named.toLowerCase();
  const bits = bitsIn(text);
  const method = METHODS.find(([pattern]) => pattern.test(text))?.[1] ?? 'other';
  return {
    bits,
    method,
    type: /nf4|fp4|fp8wo|fp8|int8|int4/.exec(text)?.[0] ?? null,
    doubleQuant: /double|dq/.test(text) || DOUBLE.test(around),
    computeDtype: null,
    storageDtype: null,
    // GPTQ-for-LLaMa scales whole columns by default (llama.py, --groupsize -1).
    ...(around.includes('GPTQ-for-LLaMa') && !/g\d+$/.test(text) && { groupSize: 'column' as const }),
  };
}

function bitsIn(text: string): Quantization['bits'] {
  const stated = /(\d)-?bit|int(\d)|fp(8)/.exec(text);
  return BITS[stated?.[1] ?? stated?.[2] ?? stated?.[3] ?? '4'] ?? null;
}

/**
 * Frameworks that also quantize the scales by default (fms-acceleration, framework_plugin_bnb.py; axolotl,
 * loaders/model.py: bnb_4bit_use_double_quant).
 */
const DOUBLE = /accelerated-peft-bnb|axolotl/;

const METHODS: readonly (readonly [RegExp, Quantization['method']])[] = [
  [/gptq/, 'gptq'],
  [/awq/, 'awq'],
  [/sdnq/, 'sdnq'],
  [/torchao/, 'torchao'],
  [/bnb|nf4/, 'bnb'],
];

const BITS: Readonly<Record<string, Quantization['bits']>> = { 2: 2, 3: 3, 4: 4, 8: 8 };

/** The optimizer's name as a framework would write it; null: nothing definite. */
export function optimizerOf(words: string | null): string | null {
  const text = (words ?? '').toLowerCase();
  const found = OPTIMIZERS.find(([pattern]) => pattern.test(text));
  return found ? found[1] : null;
}

const OPTIMIZERS: readonly (readonly [RegExp, string])[] = [
  [/^none/, 'none'],
  [/lora-fa/, 'lora-fa'],
  [/default adamw_torch/, 'adamw_torch'],
  [/cpuoffload.*grad/, 'cpu_offload_adamw_gradients'],
  [/cpuoffload/, 'cpu_offload_adamw'],
  [/torchao adamw8|adamw_torch_8/, 'adamw_torch_8bit'],
  [/torchao adamw4|adamw_torch_4|4-bit adamw/, 'adamw_torch_4bit'],
  [/torchao adamwfp8/, 'adamw_torch_fp8'],
  [/torchao _adamw/, 'torchao_adamw'],
  [/optimi-lion/, 'optimi_lion'],
  [/adamw_bf16/, 'adamw_bf16'],
  [/^adam \(?distributed/, 'adamw_torch'],
  // Without offload DeepSpeed turns `AdamW` into FusedAdam (runtime/engine.py, _configure_basic_optimizer).
  [/^adamw \(deepspeed\)/, 'adamw_torch_fused'],
  [/offload|distributed|deepspeed|fp16_optimizer/, 'unmodelled'],
  [/paged.*adamw.*8/, 'paged_adamw_8bit'],
  [/paged.*adamw/, 'paged_adamw_32bit'],
  [/8bit|8-bit/, 'adamw_8bit'],
  [/fused/, 'adamw_torch_fused'],
  [/sgd momentum/, 'sgd_momentum'],
  [/^sgd/, 'sgd'],
  [/adafactor/, 'adafactor'],
  [/adam/, 'adamw_torch'],
];
