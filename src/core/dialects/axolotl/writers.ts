import type { KeyWrite, WriterTable } from '../dialect';
import type { RunReader } from '../engine/runReader';
import { refuse } from '../shared/writing';
import { hasPlugin } from './kernels';

export const axolotlWriters: WriterTable = {
  loss: (to, run) => {
    if (to !== 'liger') return refuse(`Axolotl has no word for the loss ${to}.`);
    if (run.get('loss').value === 'cut_cross_entropy') {
      return refuse('Only one cross entropy kernel can be on.');
    }
    const near = ['liger_rms_norm', 'plugins', 'base_model'];
    const kernel = { key: 'liger_fused_linear_cross_entropy', value: true, near };
    return { ok: true, writes: [kernel, ...ligerPlugin(run)] };
  },
};

/** The plugin with the kernel, if no list has it yet. */
function ligerPlugin(run: RunReader): readonly KeyWrite[] {
  if (hasPlugin(run, 'LigerPlugin')) return [];
  const at = run.words('plugins')?.length ?? 0;
  return [{ key: `plugins[${at}]`, value: LIGER, near: ['base_model'] }];
}

const LIGER = 'axolotl.integrations.liger.LigerPlugin';
