import type { Dialect } from './dialect';
import { count, countOrNone, word } from './engine/readers';
import { llmFoundryHelp } from './llmFoundry/help';
import {
  attention,
  compile,
  lora,
  loss,
  method,
  model,
  packing,
  quantization,
  task,
} from './llmFoundry/rules';
import { llmFoundryWriters } from './llmFoundry/writers';
import {
  composerLaunch,
  composerLogs,
  evalBatchSize,
  fsdp,
  globalBatchSize,
  gpus,
  gradientCheckpointing,
  loadDtype,
  microBatchSize,
  offload,
  precisionRaw,
  precisionRow,
  reentrant,
} from './shared/composerTrainer';
import { accumulationFromGlobal } from './engine/common';
import { autocastByPrecision } from './shared/lightning';
import { datasetsBy } from './shared/datasets';

/** LLM Foundry's training configs, alone or below `parameters` of a run on MosaicML's platform; mosaicml/llm-foundry 8c8dd48. */
export const llmFoundry: Dialect = {
  id: 'llm-foundry',
  title: 'LLM Foundry',
  role: 'run',
  framework: { name: 'llm-foundry', version: '0.22.0', libraries: { composer: '0.32' } },
  loader: 'omegaconf',
  signature: {
    strong: [
      'train_loader.dataset',
      'device_train_microbatch_size',
      'global_train_batch_size',
      'max_duration',
    ],
    medium: [
      'callbacks.speed_monitor',
      'optimizer.name',
      'scheduler.name',
      'model.name',
      'tokenizer.name',
      'tokenizer.kwargs',
      'device_eval_batch_size',
      'integrations',
      'compute.gpus',
      'parameters.train_loader',
    ],
    weak: [
      'variables',
      'algorithms',
      'max_seq_len',
      'fsdp_config',
      'precision',
      'eval_interval',
      'command',
      'image',
    ],
    against: ['policy', 'trainer', 'mlm_probability', 'tokenizer_name'],
    // Evaluations and wrappers around a file elsewhere train nothing here.
    needs: ['train_loader', 'parameters.train_loader'],
    least: 6,
  },
  roots: ['parameters'],
  quantities: {
    model,
    task,
    method,
    microBatchSize,
    globalBatchSize,
    gradAccum: accumulationFromGlobal,
    evalBatchSize,
    seqLen: { keys: ['max_seq_len', 'train_loader.dataset.max_seq_len'], read: count },
    packing,
    precision: precisionRow(
      'bf16-mixed',
      'llmfoundry/utils/config_utils.py TrainConfig: precision is amp_bf16',
    ),
    precisionRaw,
    loadDtype,
    quantization,
    optimizer: { keys: ['optimizer.name'], read: word },
    gradientCheckpointing,
    attention,
    loss,
    lora,
    zeroStage: run => run.none('llmfoundry/command_utils/train.py: FSDP, no DeepSpeed'),
    fsdp,
    offload,
    parallel: run =>
      run.has('tp_config')
        ? run.unknown('tp_config shares layers among GPUs; how many is not read.')
        : run.none('llmfoundry/utils/config_utils.py TrainConfig: tp_config is None'),
    gpus,
    numWorkers: {
      keys: ['train_loader.num_workers'],
      read: countOrNone,
      absent: { value: 0, source: 'torch DataLoader: num_workers is 0' },
    },
    compile,
  },
  datasets: datasetsBy({
    in: 'train_loader.dataset',
    path: 'hf_name',
    files: 'hf_kwargs.data_files',
    template: 'alpaca',
  }),
  details: {
    autocast: autocastByPrecision,
    paddedRows: run =>
      run.get('task').value === 'pretrain'
        ? run.byCode(false, 'llmfoundry/data/text_data.py: rows of a stream')
        : run.byCode(true, 'llmfoundry/data/finetuning/collator.py'),
    fixedLength: run =>
      run.flag('train_loader.dataset.allow_pad_trimming') === true
        ? run.at('train_loader.dataset.allow_pad_trimming', false)
        : run.byDefault(true, 'llmfoundry/data/finetuning/collator.py: rows are padded to max_seq_len'),
    reentrantCheckpointing: reentrant,
    referenceModel: run => run.none('llmfoundry: no preference training'),
    evaluates: run =>
      run.has('eval_loader')
        ? run.at('eval_loader', true)
        : run.byDefault(false, 'llmfoundry/utils/config_utils.py TrainConfig: eval_loader is None'),
  },
  writers: llmFoundryWriters,
  launch: composerLaunch('train.py', 'llm-foundry scripts/train/README.md L110-156'),
  logs: composerLogs,
  help: llmFoundryHelp,
};
