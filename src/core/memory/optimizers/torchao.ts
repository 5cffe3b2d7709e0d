import { eachParameter, state } from '../optimizer';
import type { Optimizer } from '../optimizer';
import type { Tape } from '../tape';
import type { Parameter } from '../tensor';

const SOURCE = 'torchao 0.18.0, torchao/optim/adam.py';

/** Smaller parameters, and those that blocks do not divide, keep states in their dtype (adam.py, _new_buffer). */
const MIN_QUANTIZED = 4096;

/** Smaller parameters stay on the device (CPUOffloadOptimizer, minimal_size). */
const MIN_OFFLOADED = 4096;

interface Kind {
  /** Bytes of state per element. */
  readonly bytes: number;
  /** Elements that share one fp32 scale. */
  readonly block: number;
  /** Number of values in the code table, which each state has separately. */
  readonly codes: number;
  readonly file: string;
}

function states(tape: Tape, { elements, dtype }: Parameter, { bytes, block, codes }: Kind): void {
  for (let i = 0; i < 2; i++) {
    if (elements < MIN_QUANTIZED || elements % block !== 0) {
      state(tape, elements, dtype);
    } else {
      state(tape, elements * bytes, 'uint8');
      state(tape, elements / block, 'fp32');
      if (codes > 0) state(tape, codes, 'fp32');
    }
  }
}

/** torch.compile fuses the update of a parameter into one function, whose internal buffers are not counted. */
function quantized(title: string, names: readonly string[], kind: Kind): Optimizer {
  return {
    names,
    title,
    source: `${SOURCE} and ${kind.file}`,
    step(tape, groups, first) {
      if (first) eachParameter(tape, groups, [], parameter => states(tape, parameter, kind));
    },
  };
}

export const torchaoAdamw8bit: Optimizer = quantized(
  'AdamW, 8-bit (torchao)',
  ['adamw_torch_8bit', 'ao_adamw_8bit', 'adamw_8bit_ao'],
  { bytes: 1, block: 256, codes: 256, file: 'subclass_8bit.py' },
);

export const torchaoAdamw4bit: Optimizer = quantized('AdamW, 4-bit (torchao)', ['ao_adamw_4bit'], {
  bytes: 0.5,
  block: 128,
  codes: 16,
  file: 'subclass_4bit.py',
});

/** transformers requests blocks of 256 for any number of bits. */
export const transformersAdamw4bit: Optimizer = quantized(
  'AdamW, 4-bit (torchao, as transformers calls it)',
  ['adamw_torch_4bit'],
  {
    bytes: 0.5,
    block: 256,
    codes: 16,
    file: 'subclass_4bit.py; block: transformers 5.23.0, trainer_optimizer.py, _get_torchao_optimizer',
  },
);

export const torchaoAdamwFp8: Optimizer = quantized(
  'AdamW, fp8 (torchao)',
  ['adamw_torch_fp8', 'ao_adamw_fp8'],
  { bytes: 1, block: 256, codes: 0, file: 'subclass_fp8.py' },
);

/** States in the parameters' dtype, updated by one compiled kernel (stochastic rounding compensates for bf16). */
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

/** Parameters too small for a transfer: torch's fused AdamW, with a step counter on the device. */
function retained(tape: Tape, { elements, dtype }: Parameter): void {
  if (elements >= MIN_OFFLOADED) return;
  state(tape, 1, 'fp32');
  for (let i = 0; i < 2; i++) state(tape, elements, dtype);
}

/** States and updates are on the host; gradients stay on the device until they are zeroed. */
export const cpuOffloadAdamw: Optimizer = {
  names: ['cpu_offload_adamw', 'ao_cpu_offload_adamw'],
  title: 'AdamW on the CPU (torchao)',
  source: 'torchao 0.18.0, torchao/optim/cpu_offload.py',
  note: 'On the host, pinned: a copy of each trained parameter and of its gradient; and two states of them.',
  step(tape, groups, first) {
    if (first) eachParameter(tape, groups, [], parameter => retained(tape, parameter));
  },
};

/** The same, but gradients are moved to the host as soon as they arrive. */
export const cpuOffloadAdamwGradients: Optimizer = {
  ...cpuOffloadAdamw,
  names: ['cpu_offload_adamw_gradients'],
  title: 'AdamW and gradients on the CPU (torchao)',
  source: 'torchao 0.18.0, torchao/optim/cpu_offload.py, offload_gradients',
  consumesGradients: true,
};
