import type { Quantity } from '../spec/quantity';
import type { LoraSettings, Method } from '../spec/values';
import type { Dialect } from './dialect';
import { count, countOrNone, flag } from './engine/readers';
import type { RunReader } from './engine/runReader';
import { autocastByPrecision } from './shared/lightning';
import { averagedBy, mixedName, mixedWord, onCuda, pixels, wholeModel, textOf } from './shared/vision';
import type { Size } from './shared/vision';
import { diffusersBar } from '../data/forms/trainers';
import { accelerateDiffusionHelp, accelerateDiffusionLaunch } from './accelerateDiffusion/help';

/** The places in which these scripts keep one key. */
const at = (name: string): readonly string[] =>
  ['training', 'solver', ''].map(part => (part === '' ? name : `${part}.${name}`));

const BATCHES = [
  'data_config.train_batch_size',
  'data.train_bs',
  'training.per_gpu_batch_size',
  'local_batch_size',
  'training.train_batch_size',
  'train_batch_size',
] as const;

/** Show-o draws from three loaders at each step. */
const STREAMS = ['t2i', 'lm', 'mmu'].map(name => `training.batch_size_${name}`);

function microBatchSize(run: RunReader): Quantity<number> {
  const streams = STREAMS.filter(one => run.has(one));
  if (streams.length > 0) {
    const sum = streams.reduce((total, one) => total + (run.count(one) ?? 0), 0);
    return run.derived(sum, streams, 'a step takes a batch of each stream');
  }
  const said = BATCHES.find(one => run.has(one));
  if (said === undefined) return run.unknown('No key says the batch size.');
  const size = run.count(said);
  return size === null ? run.unknown(`${said} is no number.`) : run.at(said, size);
}

const PRECISIONS = [...at('mixed_precision'), 'mixed_precision_training'] as const;

function precision(run: RunReader): Quantity<string> {
  const said = PRECISIONS.find(one => run.has(one));
  const read = said === undefined ? null : run.read(said, mixedWord);
  if (said === undefined || read === null) return run.unknown('mixed_precision is the launcher’s.');
  return run.at(said, read);
}

const SIZES = [
  'data_config.img_size',
  'train_data.sample_size',
  'dataset.preprocessing.crop_size',
  'dataset.preprocessing.resolution',
  'image_size',
  'resolution',
] as const;

function imageSize(run: RunReader): Quantity<Size> {
  const width = run.count('data.train_width');
  const height = run.count('data.train_height');
  if (width !== null && height !== null) return run.at('data.train_width', [width, height]);
  const said = SIZES.find(one => run.has(one));
  const size = said === undefined ? null : run.read(said, pixels('hw'));
  return said === undefined || size === null ? run.unknown('No key says the size.') : run.at(said, size);
}

const FRAMES = ['train_data.sample_n_frames', 'num_frames', 'data.n_sample_frames'] as const;

const MODELS = [
  'pretrained_model_name_or_path',
  'model_name',
  'model',
  'pretrained_model_path',
  'base_model_path',
  'pretrained_base_model_path',
] as const;

const ADAPTED = ['rank', 'lora_rank'] as const;

function method(run: RunReader): Quantity<Method> {
  const rank = ADAPTED.find(one => run.has(one));
  if (rank !== undefined) return run.at<Method>(rank, 'lora');
  if (run.has('trainable_modules')) return run.at<Method>('trainable_modules', 'freeze');
  return run.byDefault<Method>('full', 'no rank of adapters is given');
}

function task(run: RunReader): Quantity<string> {
  if (run.has('model.vq_model') && !run.has('model.showo') && !run.has('model.maskgen')) {
    return run.at('model.vq_model', 'autoencoder');
  }
  const trains = [...at('max_train_steps'), 'learning_rate', 'optimizer.params.learning_rate'].some(one =>
    run.has(one),
  );
  return trains
    ? run.byCode('denoising', 'the training script')
    : run.byCode('infer', 'no key of training is there');
}

/** Training scripts on accelerate: x-flux, AnimateDiff, Latte, Moore-AnimateAnyone, 1d-tokenizer, Show-o. */
export const accelerateDiffusion: Dialect = {
  id: 'accelerate-diffusion',
  title: 'diffusion scripts on accelerate',
  role: 'run',
  framework: { name: 'diffusers', version: '0.35.0' },
  loader: 'omegaconf',
  signature: {
    strong: [
      'noise_scheduler_kwargs.*',
      'solver.mixed_precision',
      'data.train_bs',
      'data_config.train_batch_size',
      'local_batch_size',
      'training.per_gpu_batch_size',
      'training.batch_size_t2i',
      'trainable_modules[]',
      'unet_additional_kwargs.*',
    ],
    medium: [
      'mixed_precision',
      'gradient_accumulation_steps',
      'training.gradient_accumulation_steps',
      'enable_xformers_memory_efficient_attention',
      'training.mixed_precision',
      'checkpointing_steps',
      'max_train_steps',
      'pretrained_model_path',
      'training.max_train_steps',
      'solver.gradient_accumulation_steps',
      'model.vq_model.*',
      'validation_steps',
      'num_sampling_steps',
    ],
    weak: [
      'learning_rate',
      'train_batch_size',
      'num_frames',
      'image_size',
      'output_dir',
      'experiment.output_dir',
      'optimizer.params.learning_rate',
      'dataset.params.*',
    ],
    against: [
      '_target_',
      'defaults',
      'trainer.*',
      'model.target',
      'job',
      'base_model',
      'model_name_or_path',
      'runner.*',
      'per_device_train_batch_size',
    ],
    least: 5,
  },
  quantities: {
    ...wholeModel('train*.py'),
    loadDtype: run => {
      const precision = run.get('precision').value;
      if (precision === null) return run.unknown('The precision is not known.');
      const adapters = run.get('method').value === 'lora';
      const half = precision.startsWith('bf16') ? 'bf16' : precision.startsWith('fp16') ? 'fp16' : 'fp32';
      return run.derived(adapters ? half : 'fp32', ['precision', 'method'], 'weight_dtype of what is frozen');
    },
    model: run => {
      const said = MODELS.find(one => run.has(one));
      const named = said === undefined ? null : run.word(said);
      return said === undefined || named === null
        ? run.unknown('No key names the model.')
        : run.at(said, named);
    },
    task,
    method,
    lora: run => {
      const said = ADAPTED.find(one => run.has(one));
      if (said === undefined) return run.none('no rank of adapters is given');
      return run.at<LoraSettings>(said, {
        r: run.count(said),
        alpha: null,
        dropout: null,
        targets: null,
        modulesToSave: [],
        rslora: false,
        dora: false,
      });
    },
    microBatchSize,
    gradAccum: {
      keys: at('gradient_accumulation_steps'),
      read: count,
      absent: { value: 1, source: 'train*.py: gradient_accumulation_steps' },
    },
    seqLen: {
      keys: FRAMES,
      read: count,
    },
    imageSize,
    precision,
    precisionRaw: run => {
      const said = PRECISIONS.find(one => run.has(one));
      if (said === undefined) return run.unknown('mixed_precision is not set.');
      const text = textOf(run.value(said));
      return run.at(said, said === 'mixed_precision_training' ? `${said}: ${text}` : text);
    },
    optimizer: run => {
      const eight = at('use_8bit_adam').find(one => run.flag(one));
      if (eight !== undefined) return run.at(eight, 'adamw8bit');
      const name = run.word('optimizer.name');
      return name === null
        ? run.unknown('The script chooses the optimizer.')
        : run.at('optimizer.name', name);
    },
    gradientCheckpointing: {
      keys: [...at('gradient_checkpointing'), 'model.gradient_checkpointing'],
      read: flag,
    },
    strategy: run =>
      run.has('mixed_precision_training')
        ? run.byCode('ddp', 'AnimateDiff train.py: the U-Net is wrapped in DDP, always')
        : run.unknown('The launcher says it.'),
    accelerator: onCuda('train*.py: accelerate'),
    numWorkers: {
      keys: [
        'data_config.num_workers',
        'dataset.params.num_workers_per_gpu',
        'dataset.params.num_workers',
        'num_workers',
        'dataloader_num_workers',
      ],
      read: countOrNone,
    },
  },
  details: {
    autocast: autocastByPrecision,
    averagedWeights: averagedBy(...at('use_ema')),
    frames: run => {
      const said = FRAMES.find(one => run.has(one));
      const frames = said === undefined ? null : run.count(said);
      return said === undefined || frames === null ? run.unknown('No key says it.') : run.at(said, frames);
    },
  },
  writers: {
    microBatchSize: (to, run) => {
      const said = BATCHES.find(one => run.has(one));
      return said === undefined
        ? { ok: false, why: 'The batch is of several streams: change them one by one.' }
        : { ok: true, writes: [{ key: said, value: to }] };
    },
    precision: (to, run) => {
      const said = PRECISIONS.find(one => run.has(one));
      const name = mixedName(to);
      return said === undefined || name === null || typeof run.value(said) === 'boolean'
        ? { ok: false, why: 'mixed_precision is the launcher’s, or a flag of the script.' }
        : { ok: true, writes: [{ key: said, value: name }] };
    },
  },
  logs: [diffusersBar],
  launch: accelerateDiffusionLaunch,
  help: accelerateDiffusionHelp,
};
