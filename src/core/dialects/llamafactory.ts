import { builtIn } from './defined/compile';
import file from './llamafactory.yaml';
import type { Dialect } from './dialect';
import { engine, engineKeys } from './llamafactory/engine';
import { llamafactoryDetails } from './llamafactory/details';
import {
  gpus,
  loadDtype,
  lora,
  loss,
  method,
  offload,
  optimizer,
  packing,
  parallel,
  precision,
  quantization,
  task,
} from './llamafactory/rules';
import { seqLen } from './llamafactory/written';
import { llamafactoryWriters } from './llamafactory/writers';
import { llamafactoryDatasets } from './llamafactory/datasets';

/** LLaMA-Factory's YAML; sources are files of hiyouga/LLaMA-Factory ff6d4d1 below src/llamafactory. */
export const llamafactory: Dialect = builtIn(file, {
  quantities: {
    task,
    method,
    seqLen,
    packing,
    precision,
    loadDtype,
    quantization,
    optimizer,
    loss,
    lora,
    offload,
    parallel,
    gpus,
  },
  engine,
  details: llamafactoryDetails,
  detailKeys: engineKeys,
  writers: llamafactoryWriters,
  datasets: llamafactoryDatasets,
});
