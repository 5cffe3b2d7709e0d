import type { WriterTable } from '../dialect';
import { torchName } from '../shared/words';
import { accumulatesByGlobal, keepsMethod, refuse, refused, write } from '../shared/writing';

const MODE = 'activation_checkpoint.mode';

/** How changes are written into torchtitan's job config. */
export const torchtitanWriters: WriterTable = {
  ...keepsMethod('torchtitan trains all weights.'),
  ...accumulatesByGlobal('training.global_batch_size'),
  precision: to => {
    const name = torchName(to);
    return name === 'bfloat16' || name === 'float32'
      ? write('training.mixed_precision_param', name, ['training.seq_len'])
      : refuse('training.mixed_precision_param is bfloat16 or float32; float8 is a converter of the model.');
  },
  gradientCheckpointing: to => write(MODE, to ? 'full' : 'none'),
  offload: to =>
    to.param === to.optimizer
      ? write('training.enable_cpu_offload', to.param === 'cpu', ['training.seq_len'])
      : refuse('training.enable_cpu_offload moves weights and optimizer states together.'),
  attention: refused('The flavor of the model says the kernel of attention.'),
  model: refused('model.name and model.flavor name the model together.'),
};
