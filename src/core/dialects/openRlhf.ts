import type { Dialect } from './dialect';
import { accumulationFromGlobal } from './engine/common';
import { count, countOrNone } from './engine/readers';
import { ARGV, ARGV_TEXT } from '../yaml/node';
import { openRlhfHelp } from './openRlhf/help';
import { openRlhfLogs } from './openRlhf/output';
import {
  attention,
  checkpointing,
  completionTokens,
  devices,
  engineShare,
  loadDtype,
  lora,
  method,
  microBatch,
  model,
  nodes,
  offload,
  optimizer,
  parallel,
  precision,
  quantization,
  referenceModel,
  seqLen,
  stage,
  task,
} from './openRlhf/rules';
import { openRlhfWriters } from './openRlhf/writers';
import { switchedOn } from './shared/switches';
import { sequencesPerSample } from './shared/tasks';
import { datasetsBy, templateBy } from './shared/datasets';
import type { RunReader } from './engine/runReader';

const CLI = 'openrlhf/cli';

/** openrlhf/datasets/sft_dataset.py: without apply_chat_template a text of its own stands around the prompt. */
const promptOf = (run: RunReader, section: string): string | null =>
  run.flag(`${section}apply_chat_template`) === true
    ? templateBy(`${section}tokenizer_chat_template`)(run)
    : 'input_template';

/**
 * OpenRLHF has no files of its own: its arguments on a command line are the config, dotted since 0.10 and with underscores
 * before. Sources are files of OpenRLHF/OpenRLHF 3c3be62 (0.11.0).
 */
export const openRlhf: Dialect = {
  id: 'openrlhf',
  title: 'OpenRLHF',
  role: 'run',
  framework: {
    name: 'openrlhf',
    version: '0.11.0',
    libraries: { transformers: '4.57.1', deepspeed: '0.18.2' },
  },
  evidence: [
    {
      keys: ['pretrain', 'zero_stage', 'micro_train_batch_size', 'train_batch_size', 'save_path'],
      upTo: { openrlhf: '0.9.10' },
      source: 'openrlhf/cli at 0.10: arguments are grouped by a dot',
    },
  ],
  loader: 'omegaconf',
  signature: {
    strong: ['ds.zero_stage', 'train.micro_batch_size', 'micro_train_batch_size', 'actor_num_gpus_per_node'],
    medium: ['data.max_len', 'pretrain', 'zero_stage', 'ckpt.output_dir', 'vllm.num_engines'],
    weak: ['max_len', 'save_path', 'train_batch_size', 'packing_samples'],
    against: ['model_name_or_path', 'deepspeed'],
    needs: ['ds', 'train.micro_batch_size', 'zero_stage', 'micro_train_batch_size', 'pretrain'],
    least: 6,
    accepts: ({ tag }) => tag === ARGV || tag === ARGV_TEXT,
  },
  quantities: {
    model,
    task,
    method,
    microBatchSize: microBatch,
    globalBatchSize: {
      keys: ['train.batch_size', 'train_batch_size'],
      read: count,
      absent: { value: 128, source: `${CLI}: train.batch_size is 128` },
    },
    gradAccum: accumulationFromGlobal,
    seqLen,
    packing: switchedOn(['ds.packing_samples', 'packing_samples'], `${CLI}: packing_samples is off`),
    precision,
    precisionRaw: run => {
      const key = ['ds.param_dtype', 'param_dtype', 'bf16'].find(one => run.has(one));
      return key === undefined
        ? run.unknown('No precision is given.')
        : run.at(key, key === 'bf16' ? 'bf16' : run.word(key));
    },
    loadDtype,
    quantization,
    optimizer,
    gradientCheckpointing: checkpointing,
    attention,
    loss: run => {
      const liger = ['ds.use_liger_kernel', 'use_liger_kernel'].find(key => run.flag(key) === true);
      return liger === undefined
        ? run.byDefault('standard', `${CLI}: use_liger_kernel is off`)
        : run.at(liger, 'liger');
    },
    lora,
    zeroStage: stage,
    fsdp: run => run.none('OpenRLHF shards with DeepSpeed'),
    offload,
    parallel,
    devices,
    nodes,
    accelerator: run => run.byCode('cuda', `${CLI}: models are trained on GPUs`),
    numWorkers: {
      keys: ['data.dataloader_num_workers', 'dataloader_num_workers'],
      read: countOrNone,
      absent: { value: 0, source: `${CLI}: dataloader_num_workers is 0` },
    },
    compile: run => run.byDefault(false, `${CLI}: deepcompile is off`),
  },
  datasets: datasetsBy(
    {
      path: 'data.dataset',
      template: 'chat',
      ownTemplate: run => promptOf(run, 'data.'),
      columns: { prompt: 'data.input_key', completion: 'data.output_key' },
    },
    {
      path: 'dataset',
      template: 'chat',
      ownTemplate: run => promptOf(run, ''),
      columns: { prompt: 'input_key', completion: 'output_key' },
    },
  ),
  details: {
    autocast: run => run.byCode(false, 'DeepSpeed computes in the dtype of the weights'),
    paddedRows: run =>
      run.derived(run.get('packing').value === false, ['packing'], 'packed rows have no padding'),
    adapterDtype: run =>
      run.get('lora').value === null
        ? run.none('no adapter is trained')
        : run.byDefault('fp32', 'peft: autocast_adapter_dtype is true'),
    kbitPrepare: run =>
      run.byCode('none', 'openrlhf/models/actor.py: norms are cast to bf16, nothing to fp32'),
    reentrantCheckpointing: switchedOn(
      ['model.gradient_checkpointing_reentrant', 'actor.gradient_checkpointing_reentrant'],
      `${CLI}: gradient_checkpointing_reentrant is off`,
    ),
    sequencesPerSample,
    referenceModel,
    completionTokens,
    memoryShare: engineShare,
    rolloutRows: run => run.byCode(0, 'openrlhf/trainer/ray: vLLM writes'),
  },
  writers: openRlhfWriters,
  program: {
    words: /(?:^|[/ ])openrlhf\.cli\.train_\w+|(?:^|[/ ])openrlhf\/cli\/train_\w+\.py/,
    source: 'openrlhf/cli: argparse, no file',
  },
  logs: openRlhfLogs,
  help: openRlhfHelp,
};
