import { eachParameter, state } from '../optimizer';
import type { Optimizer } from '../optimizer';
import type { Tape } from '../tape';
import type { Parameter } from '../tensor';
import { phrase } from '../../text/say';

const SOURCE = 'bitsandbytes 0.45, bitsandbytes/optim/optimizer.py';
const PAGED = phrase`Optimizer states are paged: CUDA unified memory, outside torch counters, moved to the host under pressure.`;

/** Smaller parameters keep fp32 states (min_8bit_size). */
const MIN_8BIT = 4096;
/** Elements that share one fp32 scale (blockwise quantization since 0.45; 2048 before). */
const BLOCK = 256;
/** Tensors of at least this size are paged (Optimizer2State.get_state_buffer). */
const MIN_PAGED = 1e5;

interface Kind {
  readonly bits: 8 | 32;
  readonly states: 1 | 2;
  readonly paged: boolean;
}

function step(tape: Tape, { elements }: Parameter, { bits, states, paged }: Kind): void {
  if (paged && elements >= MIN_PAGED) {
    if (bits === 8) scales(tape, elements, states);
    return;
  }
  const small = bits === 32 || elements < MIN_8BIT;
  for (let i = 0; i < states; i++) state(tape, elements, small ? 'fp32' : 'uint8');
  if (!small) scales(tape, elements, states);
}

function scales(tape: Tape, elements: number, states: number): void {
  for (let i = 0; i < states; i++) state(tape, Math.ceil(elements / BLOCK), 'fp32');
}

function optimizer(title: string, names: readonly string[], kind: Kind): Optimizer {
  return {
    names,
    title,
    source: SOURCE,
    ...(kind.paged && { note: PAGED }),
    step(tape, groups, first) {
      if (first) eachParameter(tape, groups, [], parameter => step(tape, parameter, kind));
    },
  };
}

export const adamw8bit: Optimizer = optimizer(
  'AdamW, 8-bit',
  ['adamw_8bit', 'adamw_bnb_8bit', 'adamw8bit', 'adam8bit'],
  {
    bits: 8,
    states: 2,
    paged: false,
  },
);

export const pagedAdamw8bit: Optimizer = optimizer('AdamW, 8-bit, paged', ['paged_adamw_8bit'], {
  bits: 8,
  states: 2,
  paged: true,
});

export const pagedAdamw32bit: Optimizer = optimizer('AdamW, paged', ['paged_adamw_32bit', 'paged_adamw'], {
  bits: 32,
  states: 2,
  paged: true,
});

export const lion32bit: Optimizer = optimizer('Lion', ['lion_32bit', 'lion'], {
  bits: 32,
  states: 1,
  paged: false,
});

export const lion8bit: Optimizer = optimizer('Lion, 8-bit', ['lion_8bit'], {
  bits: 8,
  states: 1,
  paged: false,
});

export const pagedLion32bit: Optimizer = optimizer('Lion, paged', ['paged_lion_32bit'], {
  bits: 32,
  states: 1,
  paged: true,
});

export const pagedLion8bit: Optimizer = optimizer('Lion, 8-bit, paged', ['paged_lion_8bit'], {
  bits: 8,
  states: 1,
  paged: true,
});
