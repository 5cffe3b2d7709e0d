import type { WriterTable, Written } from '../dialect';
import { isPretraining } from './rules';

const write = (key: string, value: string | number | boolean, near: readonly string[] = []): Written => ({
  ok: true,
  writes: [{ key, value, near }],
});
const refuse = (why: string): Written => ({ ok: false, why });
const unchanged: Written = { ok: true, writes: [] };

const PRECISIONS: Readonly<Record<string, string>> = {
  fp32: '32-true',
  bf16: 'bf16-true',
  fp16: '16-true',
  'bf16-mixed': 'bf16-mixed',
  'fp16-mixed': '16-mixed',
};

/** How LitGPT wants to be told what is more than one plain key. */
export const litgptWriters: WriterTable = {
  gradAccum: () => refuse('Accumulation follows from train.global_batch_size and the number of GPUs.'),
  precision: to => {
    const word = PRECISIONS[to];
    return word === undefined ? refuse(`LitGPT has no precision ${to}.`) : write('precision', word);
  },
  loadDtype: () => refuse('The dtype of the weights is that of precision.'),
  quantization: (to, run) => {
    if (isPretraining(run)) return refuse('Pretraining quantises nothing.');
    if (run.get('gpus').value !== 1) return refuse('LitGPT quantises on one GPU only.');
    if (to.method !== 'bnb' || to.bits !== 4) return refuse('LitGPT quantises with bitsandbytes.');
    return {
      ok: true,
      writes: [
        { key: 'quantize', value: to.doubleQuant === true ? 'bnb.nf4-dq' : 'bnb.nf4', near: ['precision'] },
        { key: 'precision', value: 'bf16-true', near: ['quantize'] },
      ],
    };
  },
  method: (to, run) =>
    to === run.get('method').value
      ? unchanged
      : refuse('The method is the command: litgpt finetune_lora or _full.'),
  optimizer: (to, run) =>
    typeof run.value('optimizer') === 'object' && run.has('optimizer.class_path')
      ? write('optimizer.class_path', to)
      : write('optimizer', to),
  gradientCheckpointing: () =>
    refuse('LitGPT checkpoints by itself where there are several GPUs; no key says it.'),
  attention: () => refuse('LitGPT always takes PyTorch’s SDPA.'),
  loss: () => refuse('LitGPT’s loss is its own.'),
  packing: () => refuse('LitGPT does not pack samples.'),
  offload: () => refuse('LitGPT has no offloading.'),
};
