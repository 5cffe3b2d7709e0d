import { eachParameter, state } from '../optimizer';
import type { Optimizer } from '../optimizer';
import type { Tape } from '../tape';
import type { Parameter } from '../tensor';

const SOURCE = 'torchao 0.13, torchao/optim/adam.py and subclass_*.py';

/** Smaller parameters, and those that blocks do not divide, keep states in their own dtype (adam.py, _new_buffer). */
const MIN_QUANTIZED = 4096;

interface Kind {
  /** Bytes of an element's state. */
  readonly bytes: number;
  /** Elements that share one fp32 scale. */
  readonly block: number;
}

function states(tape: Tape, { elements, dtype }: Parameter, { bytes, block }: Kind): void {
  for (let i = 0; i < 2; i++) {
    if (elements < MIN_QUANTIZED || elements % block !== 0) {
      state(tape, elements, dtype);
    } else {
      state(tape, elements * bytes, 'uint8');
      state(tape, elements / block, 'fp32');
    }
  }
}

/** One compiled kernel updates a parameter: nothing but states is left in memory. */
function quantized(title: string, names: readonly string[], kind: Kind): Optimizer {
  return {
    names,
    title,
    source: SOURCE,
    step(tape, groups, first) {
      if (first) eachParameter(tape, groups, [], parameter => states(tape, parameter, kind));
    },
  };
}

export const torchaoAdamw8bit: Optimizer = quantized(
  'AdamW, 8-bit (torchao)',
  ['adamw_torch_8bit', 'ao_adamw_8bit', 'adamw_8bit_ao'],
  { bytes: 1, block: 256 },
);

export const torchaoAdamw4bit: Optimizer = quantized(
  'AdamW, 4-bit (torchao)',
  ['adamw_torch_4bit', 'ao_adamw_4bit'],
  { bytes: 0.5, block: 128 },
);

export const torchaoAdamwFp8: Optimizer = quantized(
  'AdamW, fp8 (torchao)',
  ['adamw_torch_fp8', 'ao_adamw_fp8'],
  { bytes: 1, block: 256 },
);

/** States as the parameters are, updated by one compiled kernel (stochastic rounding makes up for bf16). */
export const torchaoAdamw: Optimizer = {
  names: ['torchao_adamw', 'adamw_bf16_sr'],
  title: 'AdamW (torchao)',
  source: SOURCE,
  step(tape, groups, first) {
    if (!first) return;
    eachParameter(tape, groups, [], ({ elements, dtype }) => {
      for (let i = 0; i < 2; i++) state(tape, elements, dtype);
    });
  },
};

/** States and their update live on the host. */
export const cpuOffloadAdamw: Optimizer = {
  names: ['cpu_offload_adamw', 'ao_cpu_offload_adamw'],
  title: 'AdamW on the CPU (torchao)',
  source: `${SOURCE}; cpu_offload.py`,
  note: 'Optimizer states are on the host: 8 bytes and a copy of parameter and gradient for each trained parameter.',
  step: () => undefined,
};

/** The same with gradients that leave the device as soon as they are there. */
export const cpuOffloadAdamwGradients: Optimizer = {
  names: ['cpu_offload_adamw_gradients'],
  title: 'AdamW and gradients on the CPU (torchao)',
  source: `${SOURCE}; cpu_offload.py, offload_gradients`,
  note: 'Optimizer states and gradients are on the host.',
  consumesGradients: true,
  step: () => undefined,
};
