import type { KeyWrite, WriterTable, Written } from '../dialect';
import type { RunReader } from '../engine/runReader';
import { dtypeName } from '../shared/words';

const write = (...writes: KeyWrite[]): Written => ({ ok: true, writes });
const refuse = (why: string): Written => ({ ok: false, why });

/** How to write quantities that need more than one plain key in TRL. */
export const hfTrlWriters: WriterTable = {
  method: (to, run) => {
    const now = run.get('method').value;
    if (now === 'full' && (to === 'lora' || to === 'qlora')) return adapters(to);
    if (to === 'qlora') return fourBits(run);
    if (to === now) return write();
    return refuse(`Headroom does not turn a config into ${to} training.`);
  },
  quantization: (to, run) =>
    to.bits === 4 && to.method === 'bnb'
      ? fourBits(run)
      : refuse('TRL quantises with bitsandbytes, to 4 bits.'),
  seqLen: (to, run) => {
    const key = ['max_seq_length', 'max_length'].find(name => run.has(name));
    if (run.has('max_completion_length')) return refuse('Prompt and completion lengths are set apart.');
    return write({ key: key ?? 'max_length', value: to, near: ['max_prompt_length', 'packing'] });
  },
  attention: (to, run) =>
    run.flag('use_flash_attention_2')
      ? refuse('use_flash_attention_2 would have to make way for attn_implementation.')
      : write({
          key: 'attn_implementation',
          value: to,
          near: ['torch_dtype', 'dtype', 'model_name_or_path'],
        }),
  loadDtype: (to, run) => {
    const old = run.has('torch_dtype') || run.isNull('torch_dtype') || !run.atLeast('0.23.0');
    return write({ key: old ? 'torch_dtype' : 'dtype', value: dtypeName[to], near: ['model_name_or_path'] });
  },
  precision: (to, run) => {
    if (to !== 'bf16' && to !== 'fp16') return refuse(`TRL has no switch for ${to}.`);
    const other = to === 'bf16' ? 'fp16' : 'bf16';
    return write(
      { key: to, value: true, near: [other] },
      ...(run.flag(other) ? [{ key: other, value: false }] : []),
    );
  },
  loss: (to, run) => {
    if (to !== 'liger') return refuse(`TRL has no word for the loss ${to}.`);
    const key = run.has('use_liger') ? 'use_liger' : 'use_liger_kernel';
    return write({ key, value: true, near: ['gradient_checkpointing', 'attn_implementation'] });
  },
};

/** Adapters of rank 16 on PEFT's default layers, the defaults (trl/trainer/model_config.py). */
function adapters(to: 'lora' | 'qlora'): Written {
  const near = ['attn_implementation', 'dtype', 'torch_dtype', 'model_name_or_path'];
  return write(
    { key: 'use_peft', value: true, near },
    ...(to === 'qlora' ? [{ key: 'load_in_4bit', value: true, near }] : []),
  );
}

function fourBits(run: RunReader): Written {
  if (!run.flag('use_peft')) return refuse('Only an adapter can be trained on a 4-bit base.');
  const eight = run.flag('load_in_8bit') ? [{ key: 'load_in_8bit', value: false }] : [];
  return write({ key: 'load_in_4bit', value: true, near: ['use_peft'] }, ...eight);
}
