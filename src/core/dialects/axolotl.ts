import { builtIn } from './defined/compile';
import file from './axolotl.yaml';
import { axolotlDetails } from './axolotl/details';
import {
  accumulationFromBatch,
  attentionBySwitch,
  checkpointingByFsdp,
  fsdp,
  gpus,
  loadDtype,
  lora,
  loss,
  method,
  offload,
  parallel,
  precision,
  quantization,
  task,
  workersByGpus,
} from './axolotl/rules';
import { axolotlWriters } from './axolotl/writers';
import type { Dialect } from './dialect';
import { zeroStage } from './shared/sharding';
import { rawWords } from './shared/words';
import { axolotlDatasets } from './axolotl/datasets';

/** Axolotl YAML; sources are files of axolotl-ai-cloud/axolotl 067b021, below src/axolotl/utils unless they say else. */
export const axolotl: Dialect = builtIn(file, {
  quantities: {
    task,
    method,
    gradAccum: { absent: accumulationFromBatch },
    precision,
    precisionRaw: run => {
      const keys = ['bf16', 'fp16', 'bfloat16', 'float16', 'fp8'];
      const words = rawWords(run, keys);
      return words === null ? run.unknown('No precision key is set.') : run.at(keys, words);
    },
    loadDtype,
    quantization,
    gradientCheckpointing: { absent: checkpointingByFsdp },
    attention: { absent: attentionBySwitch },
    loss,
    lora,
    zeroStage: run => zeroStage(run, ['deepspeed']),
    fsdp,
    offload,
    parallel,
    gpus,
    evalBatchSize: {
      absent: run => run.derived(run.get('microBatchSize').value, ['microBatchSize'], 'as the micro batch'),
    },
    numWorkers: { absent: workersByGpus },
  },
  details: axolotlDetails,
  writers: axolotlWriters,
  datasets: axolotlDatasets,
});
