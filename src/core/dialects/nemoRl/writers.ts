import type { WriterTable } from '../dialect';
import { accumulatesByGlobal, keepsMethod, refuse, refused, write } from '../shared/writing';
import { isMegatron } from './rules';
import { dtypeName } from '../shared/words';

const backend = (run: Parameters<typeof isMegatron>[0]): string =>
  isMegatron(run) ? 'policy.megatron_cfg' : 'policy.dtensor_cfg';

/** How NeMo-RL wants to be told what is more than one plain key. */
export const nemoRlWriters: WriterTable = {
  ...accumulatesByGlobal('policy.train_global_batch_size'),
  ...keepsMethod('Adapters are a section of the backend, with a rank and targets of your choice.'),
  seqLen: to => write('policy.max_total_sequence_length', to),
  precision: to =>
    to === 'bf16' || to === 'fp16' || to === 'fp32'
      ? write('policy.precision', dtypeName[to])
      : refuse('NeMo-RL computes in bfloat16, float16 or float32.'),
  gradientCheckpointing: (to, run) => write(`${backend(run)}.activation_checkpointing`, to),
  packing: to => write('policy.sequence_packing.enabled', to),
  loadDtype: refused('The worker loads weights in fp32.'),
  offload: (to, run) => {
    const wanted = to.param === 'cpu' || to.optimizer === 'cpu';
    return isMegatron(run)
      ? write('policy.megatron_cfg.optimizer.optimizer_cpu_offload', wanted)
      : write('policy.dtensor_cfg.cpu_offload', wanted);
  },
};
