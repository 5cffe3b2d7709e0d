import type { GroupedWeights, MemoryRun, QuantizedWeights, ServedWeights } from './run';

/** How a format stores a linear layer's weight, and the memory for using it. */
export interface WeightFormat {
  /** Bytes of each tensor of a weight of `outputs × inputs`. */
  parts(outputs: number, inputs: number): readonly number[];
  /** Which of these are parameters, which ranks can shard. */
  readonly parameters: readonly number[];
  /** Bytes of temporary fp32 scales during dequantization. */
  scaleBytes(elements: number): number;
  /** Source of the layout. */
  readonly source: string;
}

/** bitsandbytes: weights per absmax, and absmaxes per second-level constant (arXiv 2305.14314). */
const BLOCK = 64;
const SECOND_BLOCK = 256;
/** Fine-grained fp8: weights in a square block that share a scale. */
const SQUARE = 128;

const blocks = (elements: number): number => Math.ceil(elements / BLOCK);

const weightFormats: Readonly<Record<Exclude<QuantizedWeights, GroupedWeights>, WeightFormat>> = {
  nf4: {
    parts: (outputs, inputs) => [Math.ceil((outputs * inputs) / 2), blocks(outputs * inputs) * 4],
    parameters: [0],
    scaleBytes: () => 0,
    source: 'bitsandbytes, functional.py, quantize_4bit',
  },
  'nf4-dq': {
    parts(outputs, inputs) {
      const count = blocks(outputs * inputs);
      return [Math.ceil((outputs * inputs) / 2), count, Math.ceil(count / SECOND_BLOCK) * 4];
    },
    parameters: [0],
    scaleBytes: elements => blocks(elements) * 4,
    source: 'bitsandbytes, functional.py, quantize_4bit(compress_statistics=True)',
  },
  int8: {
    parts: (outputs, inputs) => [outputs * inputs, outputs * 4],
    parameters: [0],
    scaleBytes: () => 0,
    source: 'bitsandbytes, functional.py, int8_vectorwise_quant',
  },
  'sdnq-int8': {
    parts: (outputs, inputs) => [outputs * inputs, outputs * 4],
    parameters: [0],
    scaleBytes: () => 0,
    source: 'sdnq 0.2.8, training/tensor.py, group_size -1: a scale for each row',
  },
  'torchao-fp8': {
    parts: (outputs, inputs) => [outputs * inputs, 4],
    parameters: [0],
    scaleBytes: () => 0,
    source: 'torchao 0.17, Float8DynamicActivationFloat8WeightConfig: one scale',
  },
  'torchao-fp8-weight-only': {
    parts: (outputs, inputs) => [outputs * inputs, outputs * 4],
    parameters: [0],
    scaleBytes: () => 0,
    source: 'torchao 0.17, Float8WeightOnlyConfig: a scale for each row',
  },
  fp8: {
    parts: (outputs, inputs) => [
      outputs * inputs,
      Math.ceil(outputs / SQUARE) * Math.ceil(inputs / SQUARE) * 4,
    ],
    parameters: [0, 1],
    scaleBytes: () => 0,
    source: 'transformers 4.51.3, integrations/finegrained_fp8.py, FP8Linear',
  },
  w8a8: {
    parts: (outputs, inputs) => [outputs * inputs, outputs * 4],
    parameters: [0, 1],
    scaleBytes: () => 0,
    source: 'compressed-tensors, int-quantized: a scale for each row',
  },
  eetq: {
    parts: (outputs, inputs) => [outputs * inputs, outputs * 2],
    parameters: [0],
    scaleBytes: () => 0,
    source: 'EETQ 1.0, quant_weights: int8, and a 16-bit scale for each row; inputs stay in 16 bits',
  },
  nvfp4: {
    parts: (outputs, inputs) => [(outputs * inputs) / 2, outputs * Math.ceil(inputs / 16), 8],
    parameters: [0, 1],
    scaleBytes: () => 0,
    source: 'compressed-tensors, nvfp4-pack-quantized: an fp8 scale for 16 weights, two for all',
  },
  mxfp4: {
    parts: (outputs, inputs) => [(outputs * inputs) / 2, outputs * Math.ceil(inputs / 32)],
    parameters: [0, 1],
    scaleBytes: () => 0,
    source: 'OCP Microscaling Formats 1.0: an exponent of 8 bits for 32 weights',
  },
};

/** Integers packed into 32-bit words, with a 16-bit scale and a packed zero point per group of a column. */
function groupedFormat(format: GroupedWeights): WeightFormat {
  const [method, bits = '', group = ''] = format.split('-');
  const width = Number(bits) / 8;
  return {
    parts(outputs, inputs) {
      const groups = Math.ceil(inputs / Number(group));
      const weights = [outputs * inputs * width, groups * outputs * 2, groups * outputs * width];
      return method === 'gptq' ? [...weights, inputs * 4] : weights;
    },
    // fms-acceleration-peft, autogptq_utils.py, PATCH_FOR_FSDP_TRITON_V2: turned into parameters so that FSDP
    // shards them.
    parameters: method === 'gptq' ? [0, 2] : [],
    scaleBytes: () => 0,
    source:
      method === 'gptq'
        ? 'AutoGPTQ, qlinear_tritonv2.py: qweight, scales, qzeros, g_idx'
        : 'AutoAWQ, modules/linear/gemm.py: qweight, scales, qzeros',
  };
}

const isGrouped = (format: QuantizedWeights): format is GroupedWeights => /^(?:gptq|awq)-/.test(format);

export function weightFormat(format: QuantizedWeights): WeightFormat {
  return isGrouped(format) ? groupedFormat(format) : weightFormats[format];
}

/** Checkpoint formats with separately packed experts. */
export const packsExperts = (format: QuantizedWeights): boolean => isGrouped(format) || isServed(format);

const SERVED: ReadonlySet<string> = new Set<ServedWeights>(['fp8', 'w8a8', 'eetq', 'nvfp4', 'mxfp4']);

/** Of formats that only inference has products for. */
export const isServed = (format: QuantizedWeights): format is ServedWeights => SERVED.has(format);

const up = (size: number, step: number): number => Math.ceil(size / step) * step;

/**
 * Bytes of the parts of one expert's matrix. Servers pad MXFP4's for their kernels: the model's width to 256, the inner width to
 * 128, each half of a gated matrix for itself (vllm, quantization/mxfp4.py, Mxfp4MoEMethod: create_weights with Marlin;
 * “Model loading took 13.72 GiB” for gpt-oss-20b).
 */
export function expertParts(
  format: QuantizedWeights,
  outputs: number,
  inputs: number,
  { model, generation }: Pick<MemoryRun, 'model' | 'generation'>,
): readonly number[] {
  const layout = weightFormat(format);
  if (format !== 'mxfp4' || generation.serving === null) return layout.parts(outputs, inputs);
  const isDown = outputs === model.hiddenSize;
  return isDown
    ? layout.parts(up(outputs, 256), up(inputs, 128))
    : layout.parts(2 * up(outputs / 2, 128), up(inputs, 256));
}
