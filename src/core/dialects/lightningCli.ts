import type { Dialect } from './dialect';
import { withPacks } from './engine/packs';
import { count, countOrNone, word } from './engine/readers';
import { lightningCliHelp } from './lightningCli/help';
import { accelerator, devices, imageSize, optimizer, strategy } from './lightningCli/rules';
import { lightningCliWriters } from './lightningCli/writers';
import { packs } from './packs/registry';
import { autocastByPrecision, lightningTrainer } from './shared/lightning';
import { lightningLogs } from './shared/lightningLogs';
import { lightningSharding } from './shared/lightningStrategy';
import { taskByClass } from './shared/taskByClass';

/** Keys that name classes of a project's own code. */
const CLASSES = ['model.class_path', 'data.class_path', 'model.net.class_path'] as const;

const CODE = 'the project’s own LightningModule';

const general: Dialect = {
  id: 'lightning-cli',
  title: 'Lightning CLI',
  role: 'run',
  framework: { name: 'lightning', version: '2.6' },
  evidence: [
    {
      keys: [
        'trainer.gpus',
        'trainer.tpu_cores',
        'trainer.resume_from_checkpoint',
        'trainer.auto_scale_batch_size',
        'trainer.amp_backend',
        'trainer.weights_summary',
      ],
      upTo: { lightning: '1.9.5' },
      source: 'Lightning 2.0 changelog: arguments of the Trainer that were removed',
    },
  ],
  loader: 'pyyaml',
  signature: {
    strong: [
      'model.class_path',
      'data.class_path',
      'trainer.callbacks[].class_path',
      'trainer.logger.class_path',
      'trainer.strategy.class_path',
    ],
    medium: [
      'seed_everything',
      'trainer.strategy',
      'trainer.accelerator',
      'optimizer.class_path',
      'lr_scheduler.class_path',
      'model.init_args.*',
      'data.init_args.*',
    ],
    weak: [
      'trainer.devices',
      'trainer.precision',
      'trainer.max_epochs',
      'data.batch_size',
      'data.num_workers',
    ],
    against: [
      '_target_',
      'defaults[]',
      'hydra.*',
      '**._target_',
      'exp_manager',
      'lightning.trainer',
      'train.micro_batch_size',
      'train.global_batch_size',
      'out_dir',
    ],
    // A Trainer alone is shared by too many.
    needs: [
      'model.class_path',
      'data.class_path',
      'trainer.callbacks[].class_path',
      'trainer.logger.class_path',
      'trainer.strategy.class_path',
    ],
    least: 4,
  },
  roots: ['fit'],
  quantities: {
    ...lightningTrainer('trainer'),
    ...lightningSharding('trainer.strategy', 'trainer.strategy.init_args'),
    devices,
    accelerator,
    strategy,
    model: { keys: ['model.class_path', 'model.init_args.backbone', 'model.net.class_path'], read: word },
    task: run => taskByClass(run, CLASSES),
    method: run => run.byCode('full', CODE),
    lora: run => run.byCode<never>(null, CODE),
    microBatchSize: {
      keys: [
        'data.init_args.batch_size',
        'data.batch_size',
        'data.init_args.train_batch_size',
        'data.init_args.train_dataloader_kwargs.batch_size',
      ],
      read: count,
    },
    evalBatchSize: {
      keys: [
        'data.init_args.val_batch_size',
        'data.init_args.eval_batch_size',
        'data.val_batch_size',
        'data.eval_batch_size',
      ],
      read: count,
    },
    seqLen: {
      keys: ['data.init_args.max_length', 'data.init_args.max_seq_length', 'data.init_args.block_size'],
      read: count,
    },
    imageSize,
    optimizer,
    loadDtype: run => {
      const precision = run.get('precision').value;
      if (precision === 'bf16' || precision === 'fp16') {
        return run.derived(precision, ['precision'], 'true 16-bit precision casts the module');
      }
      return run.byDefault('fp32', 'torch: modules are made in fp32');
    },
    quantization: run => run.byCode<never>(null, CODE),
    gradientCheckpointing: {
      keys: [
        'model.init_args.gradient_checkpointing',
        'model.init_args.use_gradient_checkpointing',
        'model.init_args.activation_checkpointing',
      ],
      read: value => (typeof value === 'boolean' ? { ok: value } : null),
      absent: run =>
        run.unknown('The Trainer has no key for it: whether layers are checkpointed is the module’s matter.'),
    },
    numWorkers: {
      keys: ['data.init_args.num_workers', 'data.num_workers'],
      read: countOrNone,
    },
  },
  details: { autocast: autocastByPrecision },
  writers: lightningCliWriters,
  launch: [
    {
      argv: ['python', 'main.py', 'fit', '--config', '{config}', '--trainer.devices', '{gpus}'],
      resume: [
        ...['python', 'main.py', 'fit', '--config', '{config}', '--trainer.devices', '{gpus}'],
        ...['--ckpt_path', 'last'],
      ],
      writes: ['trainer.default_root_dir'],
      source: 'lightning pytorch/cli.py; projects name the program themselves',
    },
  ],
  program: {
    configs: ['config', 'c'],
    sections: ['trainer', 'model', 'data', 'optimizer', 'lr_scheduler'],
    classes: ['model', 'data', 'optimizer', 'lr_scheduler'],
    source: 'lightning pytorch/cli.py; jsonargparse takes arguments in their order, later ones win',
  },
  logs: lightningLogs,
  help: lightningCliHelp,
  classKeys: CLASSES,
};

/** Configs of Lightning's CLI; sources are files of Lightning-AI/pytorch-lightning 7f0c343 (2.6). */
export const lightningCli: Dialect = withPacks(general, packs);
