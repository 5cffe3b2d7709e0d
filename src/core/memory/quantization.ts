import type { QuantizedWeights } from './run';

/** How one format holds a linear layer's weight, and what using it takes. */
export interface WeightFormat {
  /** Bytes of each tensor that holds a weight of `outputs × inputs`. */
  parts(outputs: number, inputs: number): readonly number[];
  /** Which of these are parameters, of which ranks may hold a part each. */
  readonly parameters: readonly number[];
  /** Bytes of fp32 scales that exist while the weight is dequantised. */
  scaleBytes(elements: number): number;
  /** Source of the layout. */
  readonly source: string;
}

/** bitsandbytes: weights per absmax, and absmaxes per second-level constant (arXiv 2305.14314). */
const BLOCK = 64;
const SECOND_BLOCK = 256;
/** GPTQ and AWQ checkpoints in the wild: weights per scale and zero point. */
const GROUP = 128;

const blocks = (elements: number): number => Math.ceil(elements / BLOCK);

export const weightFormats: Readonly<Record<QuantizedWeights, WeightFormat>> = {
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
  gptq: {
    parts(outputs, inputs) {
      const groups = Math.ceil(inputs / GROUP);
      return [(outputs * inputs) / 2, groups * outputs * 2, (groups * outputs) / 2, inputs * 4];
    },
    // fms-acceleration-peft, autogptq_utils.py, PATCH_FOR_FSDP_TRITON_V2: made parameters so that FSDP shares them.
    parameters: [0, 2],
    scaleBytes: () => 0,
    source: 'AutoGPTQ, qlinear_tritonv2.py: qweight, scales, qzeros, g_idx',
  },
};
