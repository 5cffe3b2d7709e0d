import type { KeyWrite, WriterTable, Written } from '../dialect';
import type { RunReader } from '../engine/runReader';
import { dtypeName } from '../shared/words';
import { isMegatron } from './rules';

const write = (...writes: KeyWrite[]): Written => ({ ok: true, writes });
const refuse = (why: string): Written => ({ ok: false, why });

/** How ms-swift wants to be told what is more than one plain key; Megatron's arguments have other names. */
export const msSwiftWriters: WriterTable = {
  method: (to, run) => {
    if (to === run.get('method').value) return write();
    return to === 'qlora' ? fourBits(run) : refuse(`Headroom does not turn a config into ${to} training.`);
  },
  quantization: (to, run) =>
    to.bits === 4 && to.method === 'bnb' ? fourBits(run) : refuse('Only bitsandbytes’ 4 bits are written.'),
  gradAccum: (to, run) =>
    isMegatron(run)
      ? refuse('Accumulation follows from global_batch_size and the number of GPUs.')
      : write({ key: 'gradient_accumulation_steps', value: to, near: ['per_device_train_batch_size'] }),
  gradientCheckpointing: (to, run) => {
    if (!isMegatron(run)) {
      return write({
        key: 'gradient_checkpointing',
        value: to,
        near: ['gradient_accumulation_steps', 'torch_dtype'],
      });
    }
    const near = ['micro_batch_size', 'recompute_granularity'];
    return to
      ? write(
          { key: 'recompute_granularity', value: 'full', near },
          { key: 'recompute_method', value: 'uniform', near },
          { key: 'recompute_num_layers', value: 1, near },
        )
      : write({ key: 'recompute_granularity', value: 'none', near });
  },
  seqLen: (to, run) =>
    run.get('task').value === 'grpo' || run.get('task').value === 'gkd'
      ? refuse('Prompt and completion lengths are set apart.')
      : write({ key: 'max_length', value: to, near: ['model', 'dataset'] }),
  attention: (to, run) =>
    isMegatron(run)
      ? refuse('Megatron’s attention_backend has words of its own.')
      : write({ key: 'attn_impl', value: to, near: ['torch_dtype', 'model'] }),
  optimizer: (to, run) =>
    isMegatron(run)
      ? refuse('Megatron steps with its own optimizer.')
      : write({ key: 'optim', value: to, near: ['learning_rate'] }),
  precision: (to, run) => {
    const dtype = to.replace(/-mixed$/, '');
    return dtype === 'bf16' || (dtype === 'fp16' && !isMegatron(run))
      ? write({ key: 'torch_dtype', value: dtypeName[dtype], near: ['model'] })
      : refuse(`ms-swift has no switch for ${to}.`);
  },
  loadDtype: to => write({ key: 'torch_dtype', value: dtypeName[to], near: ['model'] }),
  loss: (to, run) =>
    to === 'liger' && !isMegatron(run)
      ? write({ key: 'use_liger_kernel', value: true, near: ['attn_impl', 'torch_dtype'] })
      : refuse(`ms-swift has no word for the loss ${to} here.`),
};

function fourBits(run: RunReader): Written {
  if (run.get('lora').value === null) return refuse('Only an adapter can be trained on a 4-bit base.');
  if (isMegatron(run)) return refuse('Megatron does not train on a 4-bit base.');
  return write(
    { key: 'quant_method', value: 'bnb', near: ['torch_dtype', 'model'] },
    { key: 'quant_bits', value: 4, near: ['quant_method', 'torch_dtype', 'model'] },
  );
}
