import type { Dialect } from './dialect';
import { flag, word } from './engine/readers';
import {
  evalBatch,
  gradAccum,
  head,
  lora,
  method,
  microBatch,
  model,
  offload,
  precision,
  quantization,
  strategy,
  task,
  workers,
  zeroStage,
} from './ludwig/rules';
import { ludwigFiles } from './ludwig/output';
import { plainTraining } from './shared/toolkit';
import { count } from './engine/readers';

const SCHEMA = 'ludwig/schema/trainer.py';

/** Ludwig's configs; sources are files of ludwig-ai/ludwig 5d19f3e. */
export const ludwig: Dialect = {
  id: 'ludwig',
  title: 'Ludwig',
  role: 'run',
  framework: { name: 'ludwig', version: '0.11' },
  loader: 'pyyaml',
  signature: {
    strong: ['input_features[].name', 'output_features[].name', 'input_features[].type'],
    medium: ['trainer.*', 'combiner.*', 'backend.*', 'preprocessing.*', 'base_model'],
    weak: ['model_type'],
    against: [],
    needs: ['output_features[].name'],
    least: 8,
  },
  quantities: {
    ...plainTraining('ludwig/trainers/trainer.py'),
    model,
    task,
    method,
    lora,
    quantization,
    microBatchSize: microBatch,
    evalBatchSize: evalBatch,
    gradAccum,
    seqLen: {
      keys: [
        'preprocessing.global_max_sequence_length',
        'input_features[0].preprocessing.max_sequence_length',
      ],
      read: count,
    },
    precision,
    optimizer: { keys: ['trainer.optimizer.type', 'trainer.optimizer'], read: word },
    gradientCheckpointing: {
      keys: ['trainer.enable_gradient_checkpointing'],
      read: flag,
      absent: { value: false, source: `${SCHEMA} L444: enable_gradient_checkpointing is False` },
    },
    zeroStage,
    offload,
    strategy,
    accelerator: run => {
      const key = 'backend.trainer.use_gpu';
      const on = run.flag(key);
      return on === null
        ? run.byDefault('auto', 'ludwig/backend: a GPU if there is one')
        : run.at(key, on ? 'cuda' : 'cpu');
    },
    devices: workers,
    compile: { keys: ['trainer.compile'], read: flag, absent: { value: false, source: SCHEMA } },
  },
  details: { head },
  ...ludwigFiles,
};
