import type { WriterTable, Written } from '../dialect';

const write = (key: string, value: string | number | boolean, near: readonly string[] = []): Written => ({
  ok: true,
  writes: [{ key, value, near }],
});
const refuse = (why: string): Written => ({ ok: false, why });

/** How torchtune wants to be told what is more than one plain key. */
export const torchtuneWriters: WriterTable = {
  method: (to, run) =>
    to === run.get('method').value
      ? { ok: true, writes: [] }
      : refuse('The method is the builder and the recipe on the command line: both would have to change.'),
  quantization: () => refuse('Quantisation is the builder’s (qlora_…) and the recipe’s.'),
  precision: to =>
    to === 'bf16' || to === 'fp32' ? write('dtype', to) : refuse('Recipes take bf16 or fp32.'),
  loadDtype: to =>
    to === 'bf16' || to === 'fp32' ? write('dtype', to) : refuse('Recipes take bf16 or fp32.'),
  loss: () => refuse('Losses of torchtune are classes: their outputs differ.'),
  attention: () => refuse('torchtune chooses the kernel itself.'),
  offload: to =>
    to.activations === 'cpu'
      ? write('enable_activation_offloading', true, ['enable_activation_checkpointing'])
      : refuse('Only recipes for several devices offload parameters.'),
};
