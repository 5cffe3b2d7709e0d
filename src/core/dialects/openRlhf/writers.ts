import type { WriterTable } from '../dialect';
import type { RunReader } from '../engine/runReader';
import { accumulatesByGlobal, keepsMethod, refuse, refused, write } from '../shared/writing';

/** The spelling that a command has: dotted since 0.10. */
const isDotted = (run: RunReader): boolean =>
  ['ds', 'train', 'model', 'actor', 'data'].some(key => run.has(key));

const spelled =
  (dotted: string, old: string) =>
  (run: RunReader): string =>
    run.has(old) || !isDotted(run) ? old : dotted;

const micro = spelled('train.micro_batch_size', 'micro_train_batch_size');
const total = spelled('train.batch_size', 'train_batch_size');
const length = spelled('data.max_len', 'max_len');
const stage = spelled('ds.zero_stage', 'zero_stage');
const host = spelled('ds.adam_offload', 'adam_offload');

/** How OpenRLHF wants to be told: flags that are there or not cannot be turned off by a word. */
export const openRlhfWriters: WriterTable = {
  ...keepsMethod('OpenRLHF trains all weights unless lora.rank is given.'),
  gradAccum: (to, run) =>
    accumulatesByGlobal(total(run)).gradAccum?.(to, run) ??
    refuse('Accumulation follows from the global batch.'),
  microBatchSize: (to, run) => write(micro(run), to),
  globalBatchSize: (to, run) => write(total(run), to),
  seqLen: (to, run) => write(length(run), to),
  zeroStage: (to, run) => write(stage(run), to),
  offload: (to, run) =>
    to.param === 'none' && to.optimizer === 'cpu'
      ? write(host(run), true)
      : refuse('OpenRLHF offloads the optimizer only, and no word turns that off again.'),
  packing: refused('--packing_samples is there or not: add or remove it in the command.'),
  gradientCheckpointing: refused(
    '--gradient_checkpointing is there or not: add or remove it in the command.',
  ),
  attention: refused('The kernel also decides whether rows can be packed.'),
  loadDtype: refused('DeepSpeed holds weights in the compute dtype.'),
  quantization: refused('--load_in_4bit is there or not: add or remove it in the command.'),
};
