import { builtIn } from './defined/compile';
import file from './msSwift.yaml';
import type { Dialect } from './dialect';
import { msSwiftDetails } from './msSwift/details';
import {
  attention,
  fsdp,
  globalBatchSize,
  gpus,
  gradAccum,
  gradientCheckpointing,
  isMegatron,
  loadDtype,
  lora,
  method,
  offload,
  optimizer,
  parallel,
  precision,
  quantization,
  seqLen,
  task,
} from './msSwift/rules';
import { msSwiftWriters } from './msSwift/writers';
import { zeroStage } from './shared/sharding';
import { rawWords } from './shared/words';
import { msSwiftDatasets } from './msSwift/datasets';

const RAW = ['torch_dtype', 'bf16', 'fp16'];

/** ms-swift's YAML and JSON; sources are files of modelscope/ms-swift 3602360. */
export const msSwift: Dialect = builtIn(file, {
  quantities: {
    task,
    method,
    gradAccum,
    globalBatchSize,
    seqLen,
    precision,
    precisionRaw: run => {
      const words = rawWords(run, RAW);
      return words === null ? run.unknown('No precision key is set.') : run.at(RAW, words);
    },
    loadDtype,
    quantization,
    optimizer,
    gradientCheckpointing,
    attention,
    loss: run =>
      run.flag('use_liger_kernel')
        ? run.at('use_liger_kernel', 'liger')
        : run.byDefault('standard', 'transformers training_args.py: use_liger_kernel is false'),
    lora,
    zeroStage: run => zeroStage(run, ['deepspeed']),
    fsdp,
    offload,
    parallel,
    gpus,
    numWorkers: {
      absent: run =>
        run.byDefault(isMegatron(run) ? 4 : 1, 'swift/trainers/arguments.py, swift/megatron/arguments'),
    },
  },
  details: msSwiftDetails,
  writers: msSwiftWriters,
  datasets: msSwiftDatasets,
});
