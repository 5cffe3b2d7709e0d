import type { KeyWrite, WriterTable, Written } from '../dialect';

const write = (...writes: KeyWrite[]): Written => ({ ok: true, writes });
const refuse = (why: string): Written => ({ ok: false, why });

/** How open-instruct's scripts are told what is more than one plain key. */
export const openInstructWriters: WriterTable = {
  method: (to, run) => {
    if (to === run.get('method').value) return write();
    return to === 'qlora' && run.flag('use_lora')
      ? write({ key: 'use_qlora', value: true, near: ['use_lora'] })
      : refuse(`Headroom does not turn a config into ${to} training.`);
  },
  quantization: (to, run) =>
    to.bits === 4 && run.flag('use_lora')
      ? write({ key: 'use_qlora', value: true, near: ['use_lora'] })
      : refuse('Only an adapter can be trained on a 4-bit base.'),
  optimizer: () => refuse('The script chooses the optimizer itself.'),
  precision: () => refuse('The script loads and computes in bf16.'),
  loadDtype: () => refuse('The script loads and computes in bf16.'),
  attention: (to, run) =>
    run.has('use_flash_attn') && to === 'flash_attention_2'
      ? write({ key: 'use_flash_attn', value: true })
      : refuse('The script takes the attention that is installed.'),
  loss: to =>
    to === 'liger'
      ? write({
          key: 'use_liger_kernel',
          value: true,
          near: ['gradient_checkpointing', 'model_name_or_path'],
        })
      : refuse(`Open Instruct has no word for the loss ${to}.`),
  zeroStage: () => refuse('accelerate launch names the DeepSpeed file.'),
};
