import { builtIn } from './defined/compile';
import file from './hfTrainer.yaml';
import type { Dialect } from './dialect';
import { DTYPE_KEYS, imageSize, lora, method, precision, quantization } from './hfTrainer/rules';
import { packs } from './packs/registry';
import { withPacks } from './engine/packs';
import { zeroBuffersOf } from './shared/sharding';
import { task } from './hfTrainer/task';
import { contrastive } from './shared/contrastive';
import { mediaDetails } from './hfTrainer/media';
import { hfTrainerWriters } from './hfTrainer/writers';
import { resumesBy } from './shared/checkpoints';
import { deviceMapAt } from './shared/deviceMap';
import { evaluatesByStrategy } from './shared/evaluation';
import {
  autocastByFlags,
  ligerKernels,
  reentrantCheckpointing,
  trainingArguments,
} from './shared/trainingArguments';
import { checkpointDtype, loadDtype } from './shared/loading';
import { rawWords } from './shared/words';

const general: Dialect = builtIn(file, {
  quantities: {
    ...trainingArguments,
    task,
    method,
    imageSize,
    precision,
    precisionRaw: run => {
      const words = rawWords(run, ['bf16', 'fp16']) ?? rawWords(run, ['tf32']);
      return words === null
        ? run.unknown('No precision key is set.')
        : run.at(['bf16', 'fp16', 'tf32'], words);
    },
    loadDtype: run => loadDtype(run, DTYPE_KEYS),
    quantization,
    loss: run => {
      const liger = run.flag('use_liger_kernel');
      return liger
        ? run.at('use_liger_kernel', 'liger')
        : run.byDefault('standard', 'transformers training_args.py: use_liger_kernel is false');
    },
    lora,
  },
  details: {
    checkpointDtype: checkpointDtype(DTYPE_KEYS),
    autocast: autocastByFlags,
    reentrantCheckpointing,
    kernels: ligerKernels,
    zeroBuffers: zeroBuffersOf(['deepspeed']),
    evaluates: evaluatesByStrategy,
    resumes: resumesBy('resume_from_checkpoint'),
    deviceMap: deviceMapAt('', 'model.', 'model_init_kwargs.', 'model_kwargs.'),
    ...mediaDetails,
    contrastive,
  },
  writers: hfTrainerWriters,
});

/**
 * transformers' TrainingArguments in a script's own YAML: flat, or in a section of their own beside sections for the
 * model, LoRA and data. Wheels of transformers 4.45.2 to 5.18.0 were read.
 */
export const hfTrainer: Dialect = withPacks(general, packs);
