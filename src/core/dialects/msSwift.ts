import type { Dialect } from './dialect';
import { count, countOrNone, flag, word } from './engine/readers';
import { msSwiftDetails } from './msSwift/details';
import { msSwiftHelp } from './msSwift/help';
import { msSwiftLaunch, msSwiftLogs } from './msSwift/output';
import { msSwiftPresets } from './msSwift/presets';
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
import { msSwiftSignature } from './msSwift/signature';
import { msSwiftWriters } from './msSwift/writers';
import { zeroStage } from './shared/sharding';
import { trainingArguments } from './shared/trainingArguments';
import { rawWords } from './shared/words';
import { msSwiftDatasets } from './msSwift/datasets';

const RAW = ['torch_dtype', 'bf16', 'fp16'];

/** ms-swift's YAML and JSON; sources are files of modelscope/ms-swift 3602360. */
export const msSwift: Dialect = {
  id: 'ms-swift',
  title: 'ms-swift',
  role: 'run',
  framework: { name: 'ms-swift', version: '4.6.0', libraries: { transformers: '5.18.0' } },
  loader: 'pyyaml',
  signature: msSwiftSignature,
  // Ray's files have the trainer's keys in a section of their own.
  roots: ['train'],
  quantities: {
    model: { keys: ['model', 'mcore_model'], read: word },
    task,
    method,
    microBatchSize: {
      keys: ['per_device_train_batch_size', 'micro_batch_size'],
      read: count,
      absent: { value: 1, source: 'swift/trainers/arguments.py: per_device_train_batch_size is 1' },
      near: ['gradient_accumulation_steps', 'global_batch_size'],
    },
    evalBatchSize: {
      keys: ['per_device_eval_batch_size'],
      read: count,
      absent: { value: 1, source: 'swift/trainers/arguments.py: per_device_eval_batch_size is 1' },
      near: ['per_device_train_batch_size'],
    },
    gradAccum,
    globalBatchSize,
    seqLen,
    packing: {
      keys: ['packing'],
      read: flag,
      absent: { value: false, source: 'swift/arguments/sft_args.py: packing is false' },
      near: ['max_length'],
    },
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
      keys: ['dataloader_num_workers'],
      read: countOrNone,
      absent: run =>
        run.byDefault(isMegatron(run) ? 4 : 1, 'swift/trainers/arguments.py, swift/megatron/arguments'),
    },
    compile: trainingArguments.compile,
    accelerator: run => run.byDefault('cuda', 'swift takes a GPU where there is one'),
  },
  datasets: msSwiftDatasets,
  details: msSwiftDetails,
  writers: msSwiftWriters,
  references: [{ key: 'deepspeed', dialect: 'deepspeed', presets: msSwiftPresets }],
  launch: msSwiftLaunch,
  logs: msSwiftLogs,
  help: msSwiftHelp,
};
