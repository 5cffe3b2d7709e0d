import type { Dialect } from './dialect';
import { count, countOrNone, flag, word } from './engine/readers';
import {
  CHECKPOINTING,
  CLASSES,
  EVAL_BATCH,
  GROUPS,
  IMAGE_SIZES,
  LENGTHS,
  MODELS,
  OPTIMIZERS,
  WORKERS,
} from './hydra/keys';
import {
  accelerator,
  devices,
  globalBatchSize,
  gradAccum,
  loadDtype,
  method,
  microBatchSize,
  nodes,
  precision,
  precisionRaw,
  strategy,
  task,
} from './hydra/rules';
import { packs } from './packs/registry';
import { withPacks } from './engine/packs';
import { hydraTree } from './engine/hydra/composer';
import { hydraHelp } from './hydra/help';
import { hydraWriters } from './hydra/writers';
import { plainSize } from './shared/imageSize';
import { autocastByPrecision } from './shared/lightning';
import { lightningLogs } from './shared/lightningLogs';
import { lightningSharding } from './shared/lightningStrategy';

const general: Dialect = {
  id: 'hydra',
  title: 'Hydra',
  role: 'run',
  framework: { name: 'hydra', version: '1.3', libraries: { lightning: '2.6' } },
  loader: 'omegaconf',
  signature: {
    strong: [],
    // Callbacks, loggers and Hydra's own groups are composed in the same way: a list of defaults alone is no run.
    medium: [
      'defaults[]',
      'hydra.*',
      '**._target_',
      String.raw`_target_~(?:Trainer|DataModule|Module|Model)$|\.(?:data|datasets?|datamodules?|models?)\.`,
      'trainer._target_',
      ...GROUPS.flatMap(group => [
        `defaults[].${group}`,
        `defaults[]./${group}`,
        `defaults[].override /${group}`,
      ]),
    ],
    weak: [
      'trainer.devices',
      'trainer.precision',
      'trainer.accelerator',
      'trainer.accumulate_grad_batches',
      'data.batch_size',
      'dataset.batch_size',
      'train.batch_size',
      'training.batch_size',
      'batch_size',
      'num_workers',
      'accelerator',
      'strategy',
      'devices',
      'callbacks.*',
      'batch_size_train',
    ],
    against: [
      // A part of verl's own tree.
      String.raw`_target_~^verl\.`,
      'MODEL',
      'apiVersion',
      'services.*',
      'fairseq',
      'jobs.*',
      'steps[]',
      'run.dir',
      'train.micro_batch_size',
      'actor_rollout_ref',
      '_target_~^(?:verl|nemo|megatron)[._]',
      'ppo_mini_batch_size',
      'policy_loss',
      'engine.*',
      'megatron.*',
      'fsdp_config.*',
      'exp_manager',
      'exp_manager.*',
      'trainer.n_gpus_per_node',
      'data.train_files',
      'offload_policy',
      'model.use_remove_padding',
      'job.scheduler',
      'dora.*',
      'compression_model_checkpoint',
      'solver',
      'autocast_dtype',
      'buffer_size',
      'eval_episodes',
      'lr_scheduler._name_',
      'sweep.dir',
    ],
    needs: ['defaults[]', 'hydra.*', '**._target_'],
    least: 3,
  },
  quantities: {
    ...lightningSharding('trainer.strategy', 'trainer.strategy'),
    model: { keys: MODELS, read: value => (typeof value === 'string' ? word(value) : null) },
    task,
    method,
    microBatchSize,
    globalBatchSize,
    gradAccum,
    evalBatchSize: { keys: EVAL_BATCH, read: count },
    seqLen: { keys: LENGTHS, read: count },
    imageSize: { keys: IMAGE_SIZES, read: plainSize },
    precision,
    precisionRaw,
    loadDtype,
    quantization: run => run.byCode<never>(null, 'the project’s own module'),
    optimizer: {
      keys: OPTIMIZERS,
      read: value => (typeof value === 'string' ? word(value) : null),
      absent: run => run.unknown('The optimizer is made by the project’s own code.'),
    },
    gradientCheckpointing: {
      keys: CHECKPOINTING,
      read: flag,
      absent: run => run.unknown('Whether layers are checkpointed is the module’s own matter.'),
    },
    devices,
    nodes,
    accelerator,
    strategy,
    numWorkers: { keys: WORKERS, read: countOrNone },
    compile: {
      keys: ['model.compile', 'compile'],
      read: value => (typeof value === 'boolean' ? { ok: value } : null),
    },
  },
  details: { autocast: autocastByPrecision },
  writers: hydraWriters,
  launch: [
    {
      argv: ['python', 'train.py', '--config-path', '{folder}', '--config-name', '{name}'],
      source: 'hydra 1.3 _internal/utils.py; projects name the program themselves',
    },
  ],
  logs: lightningLogs,
  help: hydraHelp,
  classKeys: CLASSES,
  compose: hydraTree,
};

/**
 * Projects that compose their config with Hydra, most of them around a Lightning Trainer; sources are files of
 * facebookresearch/hydra 1.3 and Lightning 2.6. What belongs to one project is in `packs`.
 */
export const hydra: Dialect = withPacks(general, packs);
