import type { WriterTable } from '../dialect';
import { accumulatesByGlobal, keepsMethod, refuse, refused, write } from '../shared/writing';

/** Megatron's flags as they are written: with dashes. */
export const megatronLmWriters: WriterTable = {
  ...accumulatesByGlobal('global_batch_size'),
  ...keepsMethod('Megatron-LM trains all weights.'),
  gradientCheckpointing: (to, run) =>
    to && !run.has('recompute_granularity') && run.flag('recompute_activations') !== true
      ? {
          ok: true,
          writes: [
            { key: 'recompute_granularity', value: 'full', near: ['micro_batch_size'] },
            { key: 'recompute_method', value: 'uniform', near: ['micro_batch_size'] },
            { key: 'recompute_num_layers', value: 1, near: ['micro_batch_size'] },
          ],
        }
      : refuse('Recomputing is turned off by taking its arguments out of the command.'),
  precision: refused('--bf16 and --fp16 are there or not: exchange them in the command.'),
  loadDtype: refused('Weights follow from --bf16 and --fp16.'),
  attention: refused('Transformer Engine chooses the kernel.'),
  packing: refused('Rows are cut out of a corpus.'),
  offload: (to, run) =>
    to.param === 'none' && to.optimizer === 'cpu' && run.flag('optimizer_cpu_offload') !== true
      ? write('optimizer_cpu_offload', true, ['micro_batch_size'])
      : refuse('Megatron-LM offloads the optimizer only.'),
};
