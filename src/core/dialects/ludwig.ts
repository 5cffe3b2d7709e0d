import { builtIn } from './defined/compile';
import file from './ludwig.yaml';
import type { Dialect } from './dialect';
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

/** Ludwig's configs; sources are files of ludwig-ai/ludwig 5d19f3e. */
export const ludwig: Dialect = builtIn(file, {
  quantities: {
    model,
    task,
    method,
    lora,
    quantization,
    microBatchSize: microBatch,
    evalBatchSize: evalBatch,
    gradAccum,
    precision,
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
  },
  details: {
    head,
  },
});
