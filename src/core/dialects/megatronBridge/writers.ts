import type { WriterTable } from '../dialect';
import { accumulatesByGlobal, keepsMethod, refuse, refused, write } from '../shared/writing';

const GRANULARITY = 'model.recompute_granularity';

/** How Megatron-Bridge wants to be told what is more than one plain key. */
export const megatronBridgeWriters: WriterTable = {
  ...accumulatesByGlobal('train.global_batch_size'),
  ...keepsMethod('The recipe on the command line decides what is trained.'),
  seqLen: (to, run) => ({
    ok: true,
    writes: ['model.seq_length', 'dataset.seq_length']
      .filter((key, index) => index === 0 || run.has(key))
      .map(key => ({ key, value: to })),
  }),
  precision: to =>
    to === 'bf16' || to === 'fp16'
      ? write('mixed_precision', `${to}_mixed`)
      : refuse('Recipes of mixed precision are bf16_mixed, fp16_mixed and those with fp8.'),
  gradientCheckpointing: to =>
    to
      ? {
          ok: true,
          writes: [
            { key: GRANULARITY, value: 'full' },
            { key: 'model.recompute_method', value: 'uniform', near: [GRANULARITY] },
            { key: 'model.recompute_num_layers', value: 1, near: [GRANULARITY] },
          ],
        }
      : write(GRANULARITY, null),
  loadDtype: refused('Weights are in the dtype of mixed_precision.'),
  offload: to =>
    to.optimizer === 'cpu'
      ? write('optimizer.optimizer_cpu_offload', true)
      : refuse('Megatron-Bridge offloads the optimizer only.'),
};
