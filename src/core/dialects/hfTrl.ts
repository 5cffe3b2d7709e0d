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
import { trainingArguments } from './shared/trainingArguments';
import { rawWords } from './shared/words';
import { hfTrlDatasets } from './hfTrl/datasets';

/** TRL, alignment-handbook, open-r1 and their kin: transformers' TrainingArguments and a trainer's own keys, flat in
 * one YAML. The release tags of huggingface/trl up to f2cd577 were read for what holds since when. */
export const hfTrl: Dialect = builtIn(file, {
  quantities: {
    ...trainingArguments,
    task,
    method,
    seqLen,
    packing: { absent: packingByTask },
    precision,
    precisionRaw: run => {
      const words = rawWords(run, ['bf16', 'fp16']);
      return words === null ? run.unknown('No precision key is set.') : run.at(['bf16', 'fp16'], words);
    },
    loadDtype,
    quantization,
    attention: { absent: attentionBySwitch },
    loss,
    lora,
    gpus: {
      absent: run =>
        run.part('accelerate_config')?.get('gpus') ?? run.unknown('The launcher decides the number of GPUs.'),
    },
    nodes: {
      absent: run =>
        run.part('accelerate_config')?.get('nodes') ??
        run.unknown('The launcher decides the number of nodes.'),
    },
  },
  details: hfTrlDetails,
  writers: hfTrlWriters,
  datasets: hfTrlDatasets,
});
