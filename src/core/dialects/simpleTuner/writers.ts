import type { ScalarValue } from '../../yaml/node';
import type { Written, WriterTable } from '../dialect';
import type { RunReader } from '../engine/runReader';
import { keepsMethod, refuse, refused, write } from '../shared/writing';
import { keyIn } from './rules';

/** New keys are spelled as the file spells its others. */
function put(run: RunReader, name: string, value: ScalarValue): Written {
  const isDashed = run.has('--model_family');
  const key = run.has(keyIn(run, name)) || !isDashed ? keyIn(run, name) : `--${name}`;
  return write(key, value, [keyIn(run, 'train_batch_size')]);
}

/** How changes are written into SimpleTuner's config.json. */
export const simpleTunerWriters: WriterTable = {
  ...keepsMethod('Change model_type: it takes settings of its own.'),
  microBatchSize: (to, run) => put(run, 'train_batch_size', to),
  gradAccum: (to, run) => put(run, 'gradient_accumulation_steps', to),
  gradientCheckpointing: (to, run) => put(run, 'gradient_checkpointing', to),
  optimizer: (to, run) => put(run, 'optimizer', to),
  gpus: (to, run) => put(run, 'num_processes', to),
  precision: (to, run) => {
    const word = to === 'fp32' ? 'no' : to;
    return ['no', 'bf16', 'fp16', 'fp8'].includes(word)
      ? put(run, 'mixed_precision', word)
      : refuse('mixed_precision is no, bf16, fp16 or fp8.');
  },
  loadDtype: refused('Weights are held in the dtype of mixed_precision.'),
  quantization: (to, run) =>
    to.bits === 8
      ? put(run, 'base_model_precision', 'int8-quanto')
      : to.bits === 4 && to.method === 'bnb'
        ? put(run, 'base_model_precision', 'nf4-bnb')
        : refuse('base_model_precision has 8 bits of quanto and 4 of bitsandbytes.'),
  imageSize: (to, run) =>
    to[0] === to[1]
      ? put(run, 'resolution', to[0])
      : refuse('resolution is one side; data sets of data_backend_config may have their own.'),
};
