import type { KeyWrite, WriterTable, Written } from '../dialect';

const write = (...writes: KeyWrite[]): Written => ({ ok: true, writes });
const refuse = (why: string): Written => ({ ok: false, why });
const FOUR: KeyWrite = { key: 'training.load_in_4bit', value: true, near: ['training.max_seq_length'] };

/** How Unsloth's command wants to be told what is more than one plain key. */
export const unslothWriters: WriterTable = {
  method: (to, run) => {
    if (to === run.get('method').value) return write();
    return to === 'qlora' && run.get('lora').value !== null
      ? write(FOUR)
      : refuse(`Headroom does not turn a config into ${to} training.`);
  },
  quantization: (to, run) =>
    to.bits === 4 && run.get('lora').value !== null
      ? write(FOUR)
      : refuse('Unsloth quantises the base of adapters with bitsandbytes, to 4 bits.'),
  optimizer: () => refuse('The command has no key for the optimizer.'),
  precision: () => refuse('Unsloth takes what the GPU has.'),
  loadDtype: () => refuse('Unsloth takes what the GPU has.'),
  attention: () => refuse('Unsloth chooses the kernel itself.'),
  loss: () => refuse('Unsloth’s own loss is in use already.'),
  offload: to =>
    to.activations === 'cpu' && to.param === 'none'
      ? write({ key: 'training.gradient_checkpointing', value: 'unsloth', near: ['training.batch_size'] })
      : refuse('Unsloth moves only checkpoints to the host.'),
};
