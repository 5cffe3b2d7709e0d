import type { Dialect } from './dialect';
import { accumulationFromGlobal } from './engine/common';
import { count, countOrNone, flag, word } from './engine/readers';
import { automodelOwnModel } from './nemoAutomodel/ownModel';
import {
  checkpointDtype,
  checkpointing,
  fsdp,
  loadDtype,
  lora,
  loss,
  method,
  offload,
  packing,
  parallel,
  precision,
  quantization,
  seqLen,
  task,
} from './nemoAutomodel/rules';
import { written } from './shared/words';
import { automodelWriters } from './nemoAutomodel/writers';
import { automodelLaunch, automodelLogs } from './nemoAutomodel/output';
import { automodelHelp } from './nemoAutomodel/help';
import { datasetsBy, templateBy } from './shared/datasets';

/** components/datasets/llm/chat_dataset.py: chat_template. */
const ownTemplate = templateBy('dataset.chat_template', 'tokenizer.chat_template');

/** NeMo Automodel; sources are files of NVIDIA-NeMo/Automodel 36044ad (0.5.0). */
export const nemoAutomodel: Dialect = {
  id: 'nemo-automodel',
  title: 'NeMo Automodel',
  role: 'run',
  framework: { name: 'nemo-automodel', version: '0.5.0', libraries: { transformers: '4.57' } },
  loader: 'pyyaml',
  signature: {
    strong: ['step_scheduler', 'distributed.strategy', 'model._target_', 'dist_env'],
    medium: [
      'dataset._target_',
      'packed_sequence',
      'loss_fn._target_',
      'optimizer._target_',
      'recipe',
      'dataloader._target_',
      'distributed.tp_size',
      'peft._target_',
      'lr_scheduler.lr_decay_style',
    ],
    weak: ['checkpoint.checkpoint_dir', 'rng.ranked', 'validation_dataset'],
    against: ['policy', 'actor_rollout_ref', 'trainer', 'defaults'],
    needs: ['step_scheduler', 'dist_env', 'recipe', 'packed_sequence'],
    least: 6,
  },
  quantities: {
    model: {
      keys: ['model.pretrained_model_name_or_path', 'model.config.pretrained_model_name_or_path'],
      read: word,
    },
    task,
    method,
    microBatchSize: {
      keys: ['step_scheduler.local_batch_size'],
      read: count,
      absent: { value: 1, source: 'recipes/llm/train_ft.py L544' },
    },
    globalBatchSize: {
      keys: ['step_scheduler.global_batch_size'],
      read: count,
      absent: { value: 32, source: 'components/training/step_scheduler.py L379' },
    },
    gradAccum: accumulationFromGlobal,
    evalBatchSize: { keys: ['validation_dataloader.batch_size'], read: count },
    seqLen,
    packing,
    precision,
    precisionRaw: run => {
      const key = ['model.torch_dtype', 'model.config.torch_dtype'].find(one => run.has(one));
      return key === undefined
        ? run.unknown('model.torch_dtype is not set.')
        : run.at(key, `${key}: ${written(run.value(key))}`);
    },
    loadDtype,
    quantization,
    optimizer: { keys: ['optimizer._target_'], read: word },
    gradientCheckpointing: checkpointing,
    attention: { keys: ['model.attn_implementation'], read: word },
    loss,
    lora,
    zeroStage: run => run.none('Automodel has no DeepSpeed'),
    fsdp,
    offload,
    parallel,
    numWorkers: {
      keys: ['dataloader.num_workers'],
      read: countOrNone,
      absent: { value: 0, source: 'torch.utils.data.DataLoader: num_workers is 0' },
    },
    compile: {
      keys: ['compile.enabled'],
      read: flag,
      absent: { value: false, source: 'Automodel: no compile section' },
    },
  },
  datasets: datasetsBy(
    { path: 'dataset.path_or_dataset_id', template: 'chat', ownTemplate },
    { path: 'dataset.dataset_name', template: 'chat', ownTemplate },
    { path: 'dataset.path', template: 'chat', ownTemplate },
  ),
  details: {
    unlimitedLength: run =>
      run.derived(
        run.get('seqLen').value === null,
        ['seqLen'],
        'rows are as long as the class of the data makes them',
      ),
    autocast: run => run.byCode(false, 'components/distributed: FSDP casts, no autocast'),
    checkpointDtype,
    sequenceParallel: run =>
      run.has('distributed.sequence_parallel')
        ? run.at('distributed.sequence_parallel', run.flag('distributed.sequence_parallel'))
        : run.byDefault(false, 'components/distributed/config.py'),
  },
  ownModel: automodelOwnModel,
  writers: automodelWriters,
  launch: automodelLaunch,
  logs: automodelLogs,
  help: automodelHelp,
};
