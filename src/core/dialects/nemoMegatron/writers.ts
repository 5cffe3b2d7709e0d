import type { DetailValues } from '../../spec/values';
import type { DetailKey, WriterTable } from '../dialect';
import { accumulatesByGlobal, keepsMethod, refuse, refused, write } from '../shared/writing';

const GRANULARITY = 'model.activations_checkpoint_granularity';

/** What is cheap to compute again is dropped: a word of the same key. */
export const selectiveKey: DetailKey<DetailValues['selectiveCheckpointing']> = {
  keys: [GRANULARITY],
  write: to => (to === 'operations' ? 'selective' : null),
  near: ['model.micro_batch_size'],
};

/** How NeMo wants to be told what is more than one plain key. */
export const nemoMegatronWriters: WriterTable = {
  ...accumulatesByGlobal('model.global_batch_size'),
  ...keepsMethod('The scheme has a section of its own, with a rank and targets of your choice.'),
  precision: to =>
    to === 'bf16' || to === 'fp16' || to === 'fp32'
      ? write('trainer.precision', { bf16: 'bf16', fp16: 16, fp32: 32 }[to])
      : refuse('NeMo computes in bf16, fp16 or fp32; fp8 takes more keys.'),
  gradientCheckpointing: to =>
    to
      ? {
          ok: true,
          writes: [
            { key: GRANULARITY, value: 'full', near: ['model.micro_batch_size'] },
            { key: 'model.activations_checkpoint_method', value: 'uniform', near: [GRANULARITY] },
            { key: 'model.activations_checkpoint_num_layers', value: 1, near: [GRANULARITY] },
          ],
        }
      : write(GRANULARITY, null),
  attention: refused('Transformer Engine chooses the kernel.'),
  loadDtype: refused('Weights follow from trainer.precision and model.megatron_amp_O2.'),
  offload: to =>
    to.activations === 'cpu'
      ? write('model.cpu_offloading', true)
      : refuse('NeMo offloads activations only.'),
};
