import type { WriterTable } from '../dialect';
import { accumulatesByGlobal, keepsMethod, refuse, refused, write } from '../shared/writing';
import { dtypeName } from '../shared/words';

/** How Automodel wants to be told what is more than one plain key. */
export const automodelWriters: WriterTable = {
  ...accumulatesByGlobal('step_scheduler.global_batch_size'),
  ...keepsMethod('Adapters are a section, peft, with a class, a rank and targets of your choice.'),
  precision: (to, run) =>
    to === 'bf16' || to === 'fp32'
      ? write(
          run.has('model.config.torch_dtype') ? 'model.config.torch_dtype' : 'model.torch_dtype',
          dtypeName[to],
        )
      : refuse('Automodel computes in bf16 or fp32.'),
  loadDtype: (to, run) =>
    write(
      run.has('model.config.torch_dtype') ? 'model.config.torch_dtype' : 'model.torch_dtype',
      dtypeName[to],
    ),
  seqLen: (to, run) => {
    const keys = ['packed_sequence.packed_sequence_size', 'dataset.seq_length', 'dataset.seq_len'];
    const key = keys.find(name => run.has(name));
    return key === undefined ? refuse('The class of the data decides how long rows are.') : write(key, to);
  },
  gradientCheckpointing: to => write('distributed.activation_checkpointing', to, ['distributed.strategy']),
  quantization: to =>
    to.bits === 4 || to.bits === 8
      ? write(`quantization.load_in_${to.bits}bit`, true)
      : refuse('Automodel quantises to 8 or 4 bits.'),
  loss: refused('The loss is a class, loss_fn._target_.'),
  packing: refused('A packed row’s length is packed_sequence.packed_sequence_size, of your choice.'),
  offload: refused('Offloading is an object, distributed.offload_policy.'),
};
