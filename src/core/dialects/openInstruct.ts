import type { Dialect } from './dialect';
import { count, countOrNone, flag, oneOf, word } from './engine/readers';
import { openInstructHelp } from './openInstruct/help';
import { openInstructLaunch, openInstructLogs } from './openInstruct/output';
import { lora, loss, method, optimizer, quantization, task } from './openInstruct/rules';
import { openInstructSignature } from './openInstruct/signature';
import { openInstructWriters } from './openInstruct/writers';
import { sequencesPerSample } from './shared/tasks';
import { zeroStage } from './shared/sharding';
import { datasetsBy, templateBy } from './shared/datasets';

const SOURCE = 'open_instruct/finetune.py';

/** open_instruct/dataset_transformation.py: TokenizerConfig; without a name the tokenizer's. */
const ownTemplate = templateBy('chat_template_name');

/** AllenAI's scripts for SFT and DPO; sources are files of allenai/open-instruct e6c3044. */
export const openInstruct: Dialect = {
  id: 'open-instruct',
  title: 'Open Instruct',
  role: 'run',
  framework: { name: 'open-instruct', version: '0.1.0', libraries: { transformers: '4.57.6' } },
  loader: 'pyyaml',
  signature: openInstructSignature,
  quantities: {
    model: { keys: ['model_name_or_path'], read: word },
    task,
    method,
    microBatchSize: {
      keys: ['per_device_train_batch_size'],
      read: count,
      absent: { value: 8, source: SOURCE },
      near: ['gradient_accumulation_steps', 'max_seq_length'],
    },
    gradAccum: {
      keys: ['gradient_accumulation_steps'],
      read: count,
      absent: { value: 1, source: SOURCE },
      near: ['per_device_train_batch_size'],
    },
    seqLen: {
      keys: ['max_seq_length'],
      read: count,
      absent: run => run.unknown('max_seq_length is not set: the longest sample decides.'),
      near: ['per_device_train_batch_size'],
    },
    packing: {
      keys: ['packing'],
      read: flag,
      absent: { value: false, source: `${SOURCE}: packing is false` },
      near: ['max_seq_length'],
    },
    precision: run => run.byDefault('bf16', `${SOURCE}: torch_dtype=torch.bfloat16`),
    loadDtype: run =>
      run.flag('use_liger_kernel')
        ? run.unknown('With Liger the script names no dtype: transformers decides it.')
        : run.byDefault('bf16', `${SOURCE}: torch_dtype=torch.bfloat16`),
    quantization,
    optimizer,
    gradientCheckpointing: {
      keys: ['gradient_checkpointing'],
      read: flag,
      absent: { value: false, source: `${SOURCE}: gradient_checkpointing is false` },
      near: ['model_revision', 'model_name_or_path'],
    },
    attention: {
      keys: ['use_flash_attn'],
      read: oneOf({ true: 'flash_attention_2', false: 'eager' }),
      absent: { value: 'flash_attention_2', source: `${SOURCE}: use_flash_attn is true` },
    },
    loss,
    lora,
    zeroStage: run =>
      run.has('zero_stage')
        ? run.at('zero_stage', run.read('zero_stage', oneOf<0 | 1 | 2 | 3>({ 0: 0, 1: 1, 2: 2, 3: 3 })))
        : zeroStage(run, []),
    fsdp: run => run.none('the launcher shards, if anything does'),
    offload: run => run.none('the launcher offloads, if anything does'),
    parallel: run => {
      const key = ['sequence_parallel_size', 'context_parallel_degree'].find(name => run.has(name));
      const tensor = run.count('tensor_parallel_degree') ?? 1;
      if (key === undefined && tensor === 1) return run.none(`${SOURCE}: sequence_parallel_size is 1`);
      const context = (key === undefined ? null : run.count(key)) ?? 1;
      return run.at(['sequence_parallel_size', 'context_parallel_degree', 'tensor_parallel_degree'], {
        tensor,
        context,
        pipeline: 1,
        expert: 1,
        dataShard: null,
        dataReplicate: null,
      });
    },
    gpus: run => run.unknown('accelerate launch decides the number of GPUs.'),
    nodes: run => run.unknown('accelerate launch decides the number of nodes.'),
    numWorkers: { keys: ['dataloader_num_workers'], read: countOrNone, absent: { value: 0, source: SOURCE } },
    compile: run => run.byDefault(false, `${SOURCE}: the model is not compiled`),
  },
  datasets: datasetsBy(
    { path: 'train_file', template: 'chat', ownTemplate },
    { path: 'dataset_mixer_list', template: 'chat', ownTemplate },
    { path: 'dataset_mixer', template: 'chat', ownTemplate },
    { path: 'dataset_name', template: 'chat', ownTemplate },
  ),
  details: {
    autocast: run => run.byDefault(true, 'docs/tulu3.md: accelerate launch --mixed_precision bf16'),
    fusedOptimizer: run =>
      run.flag('fused_optimizer') === false
        ? run.at('fused_optimizer', false)
        : run.byDefault(true, `${SOURCE}: fused_optimizer is true`),
    adapterDtype: run =>
      run.get('lora').value === null
        ? run.none('no adapter is trained')
        : run.byDefault('fp32', 'peft: autocast_adapter_dtype is true'),
    kbitPrepare: run =>
      run.flag('use_qlora')
        ? run.byCode('all', `${SOURCE}: prepare_model_for_kbit_training`)
        : run.none('the base is not quantised'),
    sequencesPerSample,
    // The script computes the reference's log-probabilities before training and keeps them.
    referenceModel: run => run.byCode(false, 'open_instruct/dpo_tune_cache.py'),
  },
  writers: openInstructWriters,
  launch: openInstructLaunch,
  logs: openInstructLogs,
  help: openInstructHelp,
};
