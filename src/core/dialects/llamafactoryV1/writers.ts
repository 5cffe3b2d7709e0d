import type { KeyWrite, WriterTable, Written } from '../dialect';

const write = (...writes: KeyWrite[]): Written => ({ ok: true, writes });
const refuse = (why: string): Written => ({ ok: false, why });

/** How the v1 engine wants to be told what is more than one plain key. */
export const llamafactoryV1Writers: WriterTable = {
  method: (to, run) =>
    to === run.get('method').value
      ? write()
      : refuse('peft_config and quant_config would have to be written.'),
  quantization: (to, run) => {
    const adapter = run.get('lora').value !== null;
    if (!adapter) return refuse('Only an adapter can be trained on a 4-bit base.');
    return to.bits === 4 && run.has('quant_config.name')
      ? write({ key: 'quant_config.quantization_bit', value: 4, near: ['quant_config.name'] })
      : refuse('A quant_config with name: bnb would have to be written.');
  },
  gradAccum: () => refuse('Accumulation follows from global_batch_size and the number of GPUs.'),
  precision: to =>
    to === 'bf16' || to === 'bf16-mixed'
      ? write({ key: 'bf16', value: true, near: ['micro_batch_size'] })
      : refuse(`LLaMA-Factory v1 has no switch for ${to}.`),
  loadDtype: () => refuse('Weights are loaded in the dtype of the checkpoint.'),
  optimizer: () => refuse('optim_config names an optimizer with settings of its own.'),
  loss: () => refuse('The v1 engine computes the logits itself.'),
  offload: (to, run) =>
    run.get('fsdp').value !== null && to.param === 'cpu' && to.optimizer === 'cpu'
      ? write({ key: 'dist_config.offload_params', value: true, near: ['dist_config.name'] })
      : refuse('Only FSDP2 offloads by a key of this file, and then everything it shards.'),
};
