import { builtIn } from './defined/compile';
import file from './hfTrl.yaml';
import type { Dialect } from './dialect';
import { hfTrlDetails } from './hfTrl/details';
import {
  attentionBySwitch,
  loadDtype,
  lora,
  loss,
  method,
  packingByTask,
  precision,
  quantization,
  seqLen,
  task,
} from './hfTrl/rules';
import { hfTrlWriters } from './hfTrl/writers';
import { hfTrlDatasets } from './hfTrl/datasets';

/**
 * TRL, alignment-handbook, open-r1 and similar: transformers' TrainingArguments and a trainer's own keys, flat in
 * one YAML. Dated facts are from the release tags of huggingface/trl up to f2cd577.
 */
export const hfTrl: Dialect = builtIn(file, {
  quantities: {
    task,
    method,
    seqLen,
    packing: { absent: packingByTask },
    precision,
    loadDtype,
    quantization,
    attention: { absent: attentionBySwitch },
    loss,
    lora,
  },
  details: hfTrlDetails,
  writers: hfTrlWriters,
  datasets: hfTrlDatasets,
});
