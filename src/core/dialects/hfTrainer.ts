import { builtIn } from './defined/compile';
import file from './hfTrainer.yaml';
import type { Dialect } from './dialect';
import { imageSize, lora, method, quantization } from './hfTrainer/rules';
import { task } from './hfTrainer/task';
import { contrastive } from './shared/contrastive';
import { mediaDetails } from './hfTrainer/media';

/**
 * transformers' TrainingArguments in a script's own YAML: flat, or in a separate section next to those for the
 * model, LoRA and data. Based on wheels of transformers 4.45.2 to 5.18.0.
 */
export const hfTrainer: Dialect = builtIn(file, {
  quantities: { task, method, imageSize, quantization, lora },
  details: { ...mediaDetails, contrastive },
});
