import type { KeyWrite, WriterTable, Written } from '../dialect';
import type { RunReader } from '../engine/runReader';
import { engine, lengthKeyOf } from './engine';

const write = (...writes: KeyWrite[]): Written => ({ ok: true, writes });
const refuse = (why: string): Written => ({ ok: false, why });

/** How to write quantities that need more than one plain key in LLaMA-Factory. */
export const llamafactoryWriters: WriterTable = {
  method: (to, run) => {
    if (to === run.get('method').value) return write();
    if (to === 'lora' || (to === 'qlora' && run.get('method').value === 'full')) return adapters(to, run);
    if (to === 'qlora') return fourBits(run);
    return refuse(`Headroom does not turn a config into ${to} training.`);
  },
  quantization: (to, run) =>
    engine(run) === null && to.bits === 4 && to.method === 'bnb'
      ? fourBits(run)
      : refuse('Headroom writes only 4 bits of bitsandbytes, for training.'),
  seqLen: (to, run) =>
    run.get('task').value === 'ppo'
      ? refuse('cutoff_len and max_new_tokens make up the length of a row.')
      : write({
          key: lengthKeyOf(run) ?? 'cutoff_len',
          value: to,
          near: ['infer_backend', 'template', 'dataset'],
        }),
  packing: to => write({ key: 'packing', value: to, near: ['cutoff_len', 'template'] }),
  optimizer: (to, run) => {
    const own = ['use_galore', 'use_apollo', 'use_badam', 'use_adam_mini', 'use_muon'].find(key =>
      run.flag(key),
    );
    return own === undefined
      ? write({ key: 'optim', value: to, near: ['learning_rate', 'per_device_train_batch_size'] })
      : refuse(`${own} brings its own optimizer.`);
  },
  precision: (to, run) => {
    const key = to.replace(/-mixed$/, '');
    if (key !== 'bf16' && key !== 'fp16') return refuse(`LLaMA-Factory has no switch for ${to}.`);
    const other = key === 'bf16' ? 'fp16' : 'bf16';
    return write(
      { key, value: true, near: [other, 'lr_scheduler_type'] },
      ...(run.flag(other) ? [{ key: other, value: false }] : []),
    );
  },
  loadDtype: () => refuse('The precision decides the dtype of the weights.'),
  loss: to =>
    to === 'liger'
      ? write({ key: 'enable_liger_kernel', value: true, near: ['flash_attn', 'trust_remote_code'] })
      : refuse(`LLaMA-Factory has no word for the loss ${to}.`),
  offload: (to, run) =>
    to.activations === 'cpu' && to.param === (run.get('offload').value?.param ?? 'none')
      ? write({ key: 'use_unsloth_gc', value: true, near: ['flash_attn', 'bf16'] })
      : refuse('The DeepSpeed file decides where parameters and the optimizer are.'),
};

/** Adapters of rank 8 on all linear layers, the defaults (hparams/finetuning_args.py). */
function adapters(to: 'lora' | 'qlora', run: RunReader): Written {
  const other = ['use_galore', 'use_apollo', 'use_badam'].find(key => run.flag(key));
  if (other !== undefined) return refuse(`LLaMA-Factory takes no adapters beside ${other}.`);
  return write(
    { key: 'finetuning_type', value: 'lora', near: ['stage'] },
    ...(to === 'qlora' ? [{ key: 'quantization_bit', value: 4, near: ['model_name_or_path'] }] : []),
  );
}

function fourBits(run: RunReader): Written {
  const adapter = run.get('lora').value !== null;
  if (!adapter) return refuse('Only an adapter can be trained on a 4-bit base.');
  return write(
    { key: 'quantization_bit', value: 4, near: ['model_name_or_path'] },
    ...(run.has('quantization_method') ? [{ key: 'quantization_method', value: 'bnb' }] : []),
  );
}
