import { checkpointFormat, publishedFormat } from '../../models/checkpointFormat';
import { ggufName } from '../../models/gguf';
import type { ModelFacts } from '../../models/model';
import { known, NONE, valueOrNull } from '../../spec/maybe';
import type { Maybe } from '../../spec/maybe';
import type { Dtype, Quantization } from '../../spec/values';
import type { Dtypes, Numbers, QuantizedWeights } from '../run';
import type { Element } from '../tensor';
import { profileOf } from '../frameworks/profileOf';
import type { RunQuestions } from './questions';
import { usesZero } from './sharding';
import { isInference } from './task';

/** All numeric settings of a run. */
export const castNumbers = (questions: RunQuestions, dtypes: Dtypes): Numbers => ({
  ...dtypes,
  upcast: upcastOf(questions),
  inFp8: questions.value('precision') === 'fp8' && profileOf(questions.run.framework).fp8 === 'keeps 8 bits',
});

function upcastOf(questions: RunQuestions): Numbers['upcast'] {
  if (usesZero(questions)) return 'none';
  if (questions.detail('fp32Embeddings') === true) return 'outer';
  return questions.detail('kbitPrepare') ?? 'none';
}

const ELEMENTS: Readonly<Partial<Record<Dtype, Element>>> = { fp32: 'fp32', bf16: 'bf16', fp16: 'fp16' };

export function numbersOf(questions: RunQuestions, model: ModelFacts): Dtypes | null {
  const loaded =
    (questions.value('method') === 'freeze' ? null : questions.detail('trainedDtype')) ??
    questions.value('loadDtype') ??
    checkpointDtype(questions, model) ??
    ownDtype(questions) ??
    scriptDtype(questions) ??
    usualDtype(questions, model);
  const weightDtype = ELEMENTS[loaded];
  if (!weightDtype) questions.lack(`memory with ${loaded} weights`);
  const settings = quantizationOf(questions, model);
  const quantization = quantizedWeights(questions, settings, model);
  if (!weightDtype || quantization.kind === 'unknown') return null;
  const experts = questions.value('quantization')?.experts === true;
  return {
    weightDtype,
    autocast: autocastOf(questions),
    quantization: valueOrNull(quantization),
    ...(experts && { quantizesExperts: true }),
  };
}

/** The framework's own dtype. */
function ownDtype(questions: RunQuestions): Dtype | null {
  return profileOf(questions.run.framework).weights === 'fp32'
    ? questions.assume('fp32', 'fp32 weights')
    : null;
}

const CHECKPOINT_DTYPES = { float32: 'fp32', bfloat16: 'bf16', float16: 'fp16' } as const;

/** The checkpoint's dtype, if the run keeps it and the model's facts state it; servers halve what is wider. */
function checkpointDtype(questions: RunQuestions, { dtype }: ModelFacts): Dtype | null {
  if (questions.detail('checkpointDtype') !== true) return null;
  if (dtype === null || dtype === 'float32') {
    const { serving } = profileOf(questions.run.framework);
    if (serving?.halvesWeights === true) {
      return questions.assume('bf16', 'weights of 16 bits, to which the server casts wider ones');
    }
    if (dtype === null) return null;
  }
  return questions.assume(CHECKPOINT_DTYPES[dtype], `weights keep the checkpoint's ${dtype}`);
}

/** Language models are mostly loaded in the 16 bits of their checkpoints; other networks in PyTorch's own fp32. */
function usualDtype(questions: RunQuestions, { kind, dtype }: ModelFacts): Dtype {
  const published = dtype === null ? null : CHECKPOINT_DTYPES[dtype];
  const usual = published ?? (kind === 'decoder' || kind === 'vision-language' ? 'bf16' : 'fp32');
  return questions.guess(usual, `weights in ${usual}: no key says in what they are held`, 'dtype');
}

/** In some scripts, the training method decides it. */
function scriptDtype(questions: RunQuestions): Dtype | null {
  if (profileOf(questions.run.framework).weights !== 'fp32 where trained') return null;
  if (questions.value('lora') === null) return questions.assume('fp32', 'trained weights are held in fp32');
  const [compute] = (questions.value('precision') ?? 'fp32').split('-');
  const frozen = compute === 'bf16' || compute === 'fp16' ? compute : 'fp32';
  return questions.assume(frozen, `frozen weights are held in ${frozen}, the dtype of the computation`);
}

/** The dtype of torch.autocast. `bf16-mixed` implies it; otherwise the dialect says whether bf16 means autocast. */
function autocastOf(questions: RunQuestions): Element | null {
  const precision = questions.value('precision');
  if (precision === null) return null;
  const [dtype = '', mixed] = precision.split('-');
  if (dtype === 'fp8') {
    if (profileOf(questions.run.framework).fp8 === 'not modeled') {
      questions.guess(null, 'products in fp8 keep what they keep in 16 bits');
      return 'bf16';
    }
    return null;
  }
  const on = questions.detail('autocast') ?? mixed === 'mixed';
  return on && (dtype === 'bf16' || dtype === 'fp16') ? dtype : null;
}

/** 8-bit formats with their own products, by method and type. */
export const dynamicFormats: Readonly<Record<string, QuantizedWeights>> = {
  'sdnq int8': 'sdnq-int8',
  'torchao fp8': 'torchao-fp8',
  'torchao fp8wo': 'torchao-fp8-weight-only',
};

/** What the run does not say, the checkpoint does: repositories of quantized weights are loaded as they are. */
function checkpointQuantization(questions: RunQuestions, model: ModelFacts): Quantization | null {
  const served = profileOf(questions.run.framework).serving ? publishedFormat(model) : null;
  const format = checkpointFormat(model) ?? served;
  if (format === null) return null;
  const { bits, kind, groupSize } = format;
  const isPacked = kind === 'gptq' || kind === 'awq' || kind === 'bnb';
  const settings: Quantization = {
    bits,
    method: isPacked ? kind : 'other',
    type: isPacked ? null : kind === 'int8' ? 'w8a8' : kind,
    // transformers, BitsAndBytesConfig of the repositories with such names: nf4 with bnb_4bit_use_double_quant.
    doubleQuant: kind === 'bnb' ? true : null,
    computeDtype: null,
    storageDtype: null,
    ...(groupSize !== null && { groupSize }),
  };
  return questions.assume(settings, `weights are held in ${bits} bits (${kind}), as the checkpoint has them`);
}

/** The stated quantization; the checkpoint's own if none is, or if the word only stands for it (vLLM: `modelopt`). */
function quantizationOf(questions: RunQuestions, model: ModelFacts): Quantization | null {
  const stated = questions.value('quantization');
  return stated === null || stated.bits === null
    ? (checkpointQuantization(questions, model) ?? stated)
    : stated;
}

/** Formats that serving engines compute in. */
const SERVED_FORMATS = ['fp8', 'w8a8', 'eetq', 'nvfp4', 'mxfp4'] as const;

/** The format of quantized weights; notes unsupported ones as missing. */
function quantizedWeights(
  questions: RunQuestions,
  settings: Quantization | null,
  model: ModelFacts,
): Maybe<QuantizedWeights> {
  if (settings === null) return isPackedFile(questions, model) ? questions.notKnown(GGUF_WEIGHTS) : NONE;
  const { bits, method, doubleQuant, type } = settings;
  if (method === 'bnb') return known(bits === 8 ? 'int8' : doubleQuant === true ? 'nf4-dq' : 'nf4');
  // torchao's NF4Tensor: blocks of 64, with 8-bit scales in blocks of 256, as in double quantization.
  if (method === 'torchao' && type === 'nf4') return known('nf4-dq');
  if ((method === 'gptq' || method === 'awq') && bits !== null) {
    return known<QuantizedWeights>(`${method}-${bits}-${groupOf(settings, model)}`);
  }
  const dynamic = dynamicFormats[`${method} ${type}`];
  if (dynamic) return known(dynamic);
  const served = SERVED_FORMATS.find(format => format === type);
  if (served !== undefined && isInference(questions)) return known(served);
  return questions.notKnown(`memory of ${weightsInWords(settings)}`);
}

const GGUF_WEIGHTS = 'memory of GGUF weights';

/**
 * A server that keeps the blocks of a GGUF file (vllm, quantization/gguf.py, GGUFLinearMethod), which only the estimate
 * of ggml's programs can count; files of 16 bits are plain weights.
 */
function isPackedFile({ run: { framework } }: RunQuestions, { id }: ModelFacts): boolean {
  const file = profileOf(framework).serving ? ggufName(id) : null;
  return file !== null && !/^b?f(?:16|32)$/i.test(file.mixture ?? '');
}

function weightsInWords({ bits, method, type }: Quantization): string {
  const kind = method === 'other' ? (type ?? 'quantized') : method;
  return bits === null ? `${kind} weights` : `${bits}-bit ${kind} weights`;
}

/** Default number of weights per scale: that of most GPTQ and AWQ checkpoints. */
const GROUP = 128;

/** Weights of a column that share a scale; for a whole column, the length of the longest. */
function groupOf({ groupSize }: Quantization, { intermediateSize, hiddenSize }: ModelFacts): number {
  return groupSize === 'column' ? Math.max(intermediateSize, hiddenSize) : (groupSize ?? GROUP);
}
