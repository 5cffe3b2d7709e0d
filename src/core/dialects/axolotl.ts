import { axolotlDetails } from './axolotl/details';
import { axolotlPresets } from './axolotl/presets';
import {
  accumulationFromBatch,
  attentionBySwitch,
  checkpointingByFsdp,
  checkpointingWord,
  fsdp,
  gpus,
  loadDtype,
  lora,
  loss,
  method,
  offload,
  parallel,
  precision,
  quantization,
  task,
  workersByGpus,
} from './axolotl/rules';
import { axolotlWriters } from './axolotl/writers';
import type { Dialect } from './dialect';
import { count, countOrNone, flag, oneOf, word } from './engine/readers';
import { zeroStage } from './shared/sharding';
import { rawWords } from './shared/words';
import { axolotlLaunch, axolotlLogs } from './axolotl/output';
import { axolotlHelp } from './axolotl/help';
import { axolotlDatasets } from './axolotl/datasets';

/** Axolotl YAML; sources are files of axolotl-ai-cloud/axolotl 067b021, below src/axolotl/utils unless they say else. */
export const axolotl: Dialect = {
  id: 'axolotl',
  title: 'Axolotl',
  role: 'run',
  framework: { name: 'axolotl', version: '0.18.0', libraries: { transformers: '5.18.0' } },
  loader: 'pyyaml',
  signature: {
    strong: ['base_model', 'sequence_len', 'sample_packing'],
    medium: [
      'micro_batch_size',
      'dataset_prepared_path',
      'num_epochs',
      'lora_target_linear',
      'lora_model_dir',
      'val_set_size',
      'datasets[].type',
      'datasets[].path',
      'saves_per_epoch',
      'evals_per_epoch',
      'wandb_watch',
      'special_tokens',
      'flash_attention',
      'lora_r',
    ],
    weak: [
      'optimizer',
      'lr_scheduler',
      'adapter',
      'load_in_4bit',
      'load_in_8bit',
      'strict',
      'tf32',
      'group_by_length',
      'train_on_inputs',
      'fsdp_config',
      'deepspeed',
      'rl',
      'chat_template',
      'is_llama_derived_model',
      'eval_sample_packing',
      'pad_to_sequence_len',
      'plugins',
    ],
    // `base_model` alone is in model cards, merge recipes and NeMo files too: it takes a training key beside it.
    against: ['model_name_or_path', 'stage', 'per_device_train_batch_size', 'merge_method', 'slices'],
    needs: ['base_model', 'sequence_len', 'sample_packing', 'micro_batch_size'],
    least: 6,
  },
  quantities: {
    model: { keys: ['base_model'], read: word },
    task,
    method,
    microBatchSize: {
      keys: ['micro_batch_size'],
      read: count,
      absent: { value: 1, source: 'schemas/training.py L77' },
      near: ['gradient_accumulation_steps'],
    },
    gradAccum: {
      keys: ['gradient_accumulation_steps'],
      read: count,
      absent: accumulationFromBatch,
      near: ['micro_batch_size'],
    },
    seqLen: { keys: ['sequence_len'], read: count, absent: { value: 512, source: 'schemas/config.py L665' } },
    packing: {
      keys: ['sample_packing'],
      read: flag,
      absent: { value: false, source: 'schemas/config.py: sample_packing is None' },
      near: ['sequence_len'],
    },
    precision,
    precisionRaw: run => {
      const keys = ['bf16', 'fp16', 'bfloat16', 'float16', 'fp8'];
      const words = rawWords(run, keys);
      return words === null ? run.unknown('No precision key is set.') : run.at(keys, words);
    },
    loadDtype,
    quantization,
    optimizer: {
      keys: ['optimizer'],
      read: word,
      absent: { value: 'adamw_torch_fused', source: 'schemas/training.py L122' },
      near: ['num_epochs', 'micro_batch_size'],
    },
    gradientCheckpointing: {
      keys: ['gradient_checkpointing'],
      read: checkpointingWord,
      absent: checkpointingByFsdp,
      near: ['tf32', 'bf16'],
    },
    attention: {
      keys: ['attn_implementation'],
      read: word,
      absent: attentionBySwitch,
      near: ['gradient_checkpointing'],
    },
    loss,
    lora,
    zeroStage: run => zeroStage(run, ['deepspeed']),
    fsdp,
    offload,
    parallel,
    gpus,
    evalBatchSize: {
      keys: ['eval_batch_size'],
      read: count,
      absent: run => run.derived(run.get('microBatchSize').value, ['microBatchSize'], 'as the micro batch'),
    },
    numWorkers: { keys: ['dataloader_num_workers'], read: countOrNone, absent: workersByGpus },
    compile: {
      keys: ['torch_compile'],
      // `auto` is on where torch supports it, which every release since 2.6 does.
      read: oneOf<boolean>({ auto: true, true: true, false: false }),
      absent: { value: false, source: 'schemas/config.py: torch_compile is None' },
    },
  },
  datasets: axolotlDatasets,
  details: axolotlDetails,
  writers: axolotlWriters,
  references: [{ key: 'deepspeed', dialect: 'deepspeed', presets: axolotlPresets }],
  launch: axolotlLaunch,
  logs: axolotlLogs,
  help: axolotlHelp,
};
