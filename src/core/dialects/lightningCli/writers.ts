import type { WriterTable } from '../dialect';
import { refuse } from '../shared/writing';

const PRECISIONS: Readonly<Record<string, string>> = {
  fp32: '32-true',
  'bf16-mixed': 'bf16-mixed',
  'fp16-mixed': '16-mixed',
  bf16: 'bf16-true',
  fp16: '16-true',
};

/**
 * How to write quantities that need more than one plain key in Lightning; `prefix` precedes the Trainer's
 * arguments.
 */
export const lightningWriters = (prefix: string): WriterTable => ({
  precision: to => {
    const value = PRECISIONS[to];
    if (value === undefined) return refuse(`Lightning has no precision ${to}.`);
    return { ok: true, writes: [{ key: `${prefix}precision`, value, near: [`${prefix}devices`] }] };
  },
  precisionRaw: () => refuse('The precision is changed, not its words.'),
  loadDtype: () => refuse('Lightning makes modules in fp32; a true 16-bit precision casts them.'),
  method: () => refuse('What is trained is the module’s own code.'),
  quantization: () => refuse('Quantisation is the module’s own code.'),
  offload: () => refuse('Offloading is a strategy of Lightning’s with arguments of its own.'),
  zeroStage: () => refuse('The stage belongs to a strategy of Lightning’s: set trainer.strategy.'),
  fsdp: () => refuse('Sharding is a strategy of Lightning’s: set trainer.strategy.'),
});

export const lightningCliWriters = lightningWriters('trainer.');
