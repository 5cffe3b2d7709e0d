import { builtIn } from './defined/compile';
import type { Dialect } from './dialect';
import file from './hfTrl.yaml';
import { hfTrlDatasets } from './hfTrl/datasets';
import { lora, method, task } from './hfTrl/rules';

/**
 * TRL, alignment-handbook, open-r1 and similar: transformers' TrainingArguments and a trainer's own keys, flat in
 * one YAML. Dated facts are from the release tags of huggingface/trl up to f2cd577.
 */
export const hfTrl: Dialect = builtIn(file, {
  quantities: { task, method, lora },
  datasets: hfTrlDatasets,
});
