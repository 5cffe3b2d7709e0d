import { ARGV, ARGV_TEXT } from '../yaml/node';
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
import { axolotlDatasets } from './axolotl/datasets';

/**
 * Axolotl YAML; sources are files of axolotl-ai-cloud/axolotl 067b021, below src/axolotl/utils unless stated
 * otherwise.
 */
export const axolotl: Dialect = builtIn(file, {
  // Its flags only override a file: those of a command without one are another program's.
  accepts: ({ tag }) => tag !== ARGV && tag !== ARGV_TEXT,
  quantities: {
    task,
    method,
    gradAccum: { absent: accumulationFromBatch },
    precision,
    loadDtype,
    quantization,
    gradientCheckpointing: { absent: checkpointingByFsdp },
    attention: { absent: attentionBySwitch },
    loss,
    lora,
    fsdp,
    offload,
    parallel,
    gpus,
    numWorkers: { absent: workersByGpus },
  },
  details: axolotlDetails,
  writers: axolotlWriters,
  datasets: axolotlDatasets,
});
