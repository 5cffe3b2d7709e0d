import { hasPlugin } from './kernels';
import type { KeyWrite, WriterTable, Written } from '../dialect';
import type { RunReader } from '../engine/runReader';

const write = (...writes: KeyWrite[]): Written => ({ ok: true, writes });
const refuse = (why: string): Written => ({ ok: false, why });

/** How to write quantities that need more than one plain key in Axolotl. */
export const axolotlWriters: WriterTable = {
  method: (to, run) => {
    const now = run.get('method').value;
    if (now === 'full' && (to === 'lora' || to === 'qlora')) return adapters(to, run);
    if (to === 'qlora') return qloraWrites(run);
    if (to === now) return write();
    return refuse(`Headroom does not turn a config into ${to} training.`);
  },
  quantization: (to, run) =>
    to.bits === 4 && to.method === 'bnb'
      ? qloraWrites(run)
      : refuse('Axolotl quantises with bitsandbytes, to 4 bits.'),
  gradientCheckpointing: (to, run) =>
    !to && run.value('activation_offloading')
      ? refuse('activation_offloading needs gradient_checkpointing.')
      : write({ key: 'gradient_checkpointing', value: to, near: ['tf32', 'bf16'] }),
  attention: (to, run) => {
    // Axolotl rejects a config with both the old switch and the new key.
    const old = Object.entries(SWITCHES).filter(([key]) => run.has(key));
    const [one] = old;
    if (!one) return write({ key: 'attn_implementation', value: to, near: ['gradient_checkpointing'] });
    if (old.length > 1 || one[1] !== to) {
      return refuse(`${one[0]} would have to make way for attn_implementation.`);
    }
    return write({ key: one[0], value: true });
  },
  loss: (to, run) => {
    if (to !== 'liger') return refuse(`Axolotl has no word for the loss ${to}.`);
    if (run.get('loss').value === 'cut_cross_entropy') {
      return refuse('Only one cross entropy kernel can be on.');
    }
    const near = ['liger_rms_norm', 'plugins', 'base_model'];
    return write({ key: 'liger_fused_linear_cross_entropy', value: true, near }, ...ligerPlugin(run));
  },
};

/** The plugin that brings the kernel, where no list has it yet. */
function ligerPlugin(run: RunReader): readonly KeyWrite[] {
  if (hasPlugin(run, 'LigerPlugin')) return [];
  const at = run.words('plugins')?.length ?? 0;
  return [{ key: `plugins[${at}]`, value: LIGER, near: ['base_model'] }];
}

const LIGER = 'axolotl.integrations.liger.LigerPlugin';

const SWITCHES: Readonly<Record<string, string>> = {
  flash_attention: 'flash_attention_2',
  sdp_attention: 'sdpa',
  eager_attention: 'eager',
};

/** The values of Axolotl's own examples: rank 16 on all linear layers. */
function adapters(to: 'lora' | 'qlora', run: RunReader): Written {
  if (run.has('qat')) return refuse('qat trains all weights, for a quantisation to come.');
  const near = ['sequence_len', 'output_dir', 'base_model'];
  const settings = [
    { key: 'lora_r', value: 16, near },
    { key: 'lora_alpha', value: 32, near },
    { key: 'lora_target_linear', value: true, near },
  ];
  return write(
    { key: 'adapter', value: to, near },
    ...(to === 'qlora' ? [{ key: 'load_in_4bit', value: true, near: ['load_in_8bit', 'base_model'] }] : []),
    ...settings.filter(({ key }) => !run.has(key)),
  );
}

function qloraWrites(run: RunReader): Written {
  if (run.word('adapter') === null) return refuse('Only an adapter can be trained on a 4-bit base.');
  return write(
    { key: 'adapter', value: 'qlora' },
    { key: 'load_in_4bit', value: true, near: ['load_in_8bit', 'base_model'] },
    ...(run.flag('load_in_8bit') ? [{ key: 'load_in_8bit', value: false }] : []),
  );
}
