import { eachParameter, state } from '../optimizer';
import type { Optimizer } from '../optimizer';
import type { Tape } from '../tape';
import type { Parameter } from '../tensor';

const SOURCE = 'flashoptim 0.1.3, flashoptim/optimizers.py, FlashOptimizer';

/** Values that share one 16-bit scale (quantize, group_size). */
const GROUP = 32;

/**
 * Both moments in 8 bits, and for 16-bit weights the bits that their masters have beyond them. One fused kernel
 * updates a parameter.
 */
function states(tape: Tape, { elements, dtype }: Parameter, masterBytes: number): void {
  for (let i = 0; i < 2; i++) {
    state(tape, elements, 'uint8');
    state(tape, Math.ceil(elements / GROUP), 'fp16');
  }
  if (dtype !== 'fp32') state(tape, elements * (masterBytes - 2), 'uint8');
}

function flash(title: string, names: readonly string[], masterBytes: number): Optimizer {
  return {
    names,
    title,
    source: SOURCE,
    step(tape, groups, first) {
      if (first) eachParameter(tape, groups, [], parameter => states(tape, parameter, masterBytes));
    },
  };
}

/** By default, masters have 24 bits. */
export const flashAdamw: Optimizer = flash('FlashAdamW', ['flash_adamw', 'flash_adam'], 3);

export const flashAdamw32bit: Optimizer = flash(
  'FlashAdamW, masters of 32 bits',
  ['flash_adamw_32bit', 'flash_adam_32bit'],
  4,
);
