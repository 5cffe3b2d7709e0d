import type { Quantity } from '../spec/quantity';
import type { Dialect } from './dialect';
import { count, countOrNone, flag, word } from './engine/readers';
import type { RunReader } from './engine/runReader';
import { autocastByPrecision, lightningTrainer, lightningDevices } from './shared/lightning';
import { onCuda, pixels, wholeModel } from './shared/vision';
import type { Size } from './shared/vision';

const trainer = lightningTrainer('lightning.trainer');
const DATA = 'data.params';

/** The side of the images in pixels; `model.params.image_size` is that of the latents. */
function imageSize(run: RunReader): Quantity<Size> {
  const keys = ['train.params.size', 'train.params.config.size', 'train.size', 'size'].map(
    key => `${DATA}.${key}`,
  );
  const key = keys.find(one => run.has(one));
  const size = key === undefined ? null : run.read(key, pixels('hw'));
  return key === undefined || size === null ? run.unknown('No dataset says the size.') : run.at(key, size);
}

function task(run: RunReader): Quantity<string> {
  const target = run.word('model.target');
  if (target === null) return run.unknown('model.target is not set.');
  if (!run.has('data') && !run.has('lightning')) {
    return run.derived('infer', ['model.target'], 'there are no data to train on');
  }
  return run.at(
    'model.target',
    /autoencoder|vqgan|VQModel|AutoencoderKL/i.test(target) ? 'autoencoder' : 'denoising',
  );
}

/** Latent diffusion, taming and generative-models; sources are lines of CompVis/latent-diffusion a506df5. */
export const ldmSgm: Dialect = {
  id: 'ldm-sgm',
  title: 'Latent Diffusion, SGM',
  role: 'run',
  framework: { name: 'latent-diffusion', version: 'a506df5' },
  loader: 'omegaconf',
  signature: {
    strong: ['model.target', 'model.base_learning_rate'],
    medium: [
      'data.target',
      'lightning.*',
      'model.params.first_stage_config.*',
      'model.params.unet_config.*',
      'model.params.network_config.*',
      'model.params.ddconfig.*',
      'model.first_stage_config.*',
      'model.network_config.*',
      'model.conditioner_config.*',
    ],
    weak: ['data.params.batch_size', 'model.params.*', 'args.*', 'model.scale_factor'],
    against: ['trainer.class_path', '_target_', 'model.network_config.params.transformer_args.*'],
    least: 4,
  },
  quantities: {
    ...wholeModel('main.py'),
    ...trainer,
    model: { keys: ['model.target'], read: word },
    task,
    microBatchSize: {
      keys: [
        `${DATA}.batch_size`,
        `${DATA}.loader.batch_size`,
        `${DATA}.train.loader.batch_size`,
        'model.params.batchsize',
      ],
      read: count,
    },
    imageSize,
    gradAccum: { ...trainer.gradAccum, absent: { value: 1, source: 'main.py L679' } },
    optimizer: run => {
      const target = run.word('model.params.optimizer_config.target');
      return target === null
        ? run.unknown('The model’s class chooses the optimizer.')
        : run.at('model.params.optimizer_config.target', target);
    },
    gradientCheckpointing: {
      keys: ['unet_config', 'network_config'].map(name => `model.params.${name}.params.use_checkpoint`),
      read: flag,
    },
    devices: {
      keys: ['lightning.trainer.devices', 'lightning.trainer.gpus'],
      read: lightningDevices,
    },
    nodes: { keys: ['lightning.trainer.num_nodes'], read: count },
    strategy: { keys: ['lightning.trainer.strategy'], read: word },
    accelerator: onCuda('main.py: --gpus; without it the CPU'),
    numWorkers: {
      keys: [`${DATA}.num_workers`, `${DATA}.loader.num_workers`, `${DATA}.train.loader.num_workers`],
      read: countOrNone,
    },
  },
  details: {
    autocast: autocastByPrecision,
    averagedWeights: run => {
      const key = 'model.params.use_ema';
      const said = run.flag(key);
      return said === null
        ? run.byDefault(true, 'ldm/models/diffusion/ddpm.py: use_ema is True')
        : run.at(key, said);
    },
  },
  launch: [
    {
      argv: ['python', 'main.py', '--base', '{config}', '-t', '--gpus', '0,'],
      source: 'latent-diffusion README.md; without --gpus it trains on the host',
    },
  ],
  program: {
    configs: ['base', 'b'],
    source: 'latent-diffusion main.py: OmegaConf.merge of all files behind --base, then of a.b=c',
  },
  logs: [
    {
      pattern: String.raw`Average Peak memory (?<allocatedMiB>[\d.]+)MiB`,
      fields: ['allocatedMiB'],
      example: 'Average Peak memory 12345.67MiB',
      source: 'main.py, CUDACallback: max_memory_allocated',
    },
  ],
  help: {
    'data.params.batch_size': {
      text: 'Images of one forward pass on each GPU. Activations grow with it in proportion.',
    },
    'model.params.image_size': { text: 'Side of the latents, not of images.' },
    'model.params.unet_config.params.use_checkpoint': {
      text: 'Computes blocks again in backward instead of keeping their activations.',
      values: ['true', 'false'],
    },
    'model.params.use_ema': {
      text: 'A second copy of the network on the GPU.',
      values: ['true', 'false'],
      byDefault: 'True',
    },
    'lightning.trainer.accumulate_grad_batches': { text: 'Batches added up before a step.', byDefault: '1' },
    'lightning.trainer.precision': { text: 'Dtype of the products; 16 and bf16 autocast.', byDefault: '32' },
    'data.params.num_workers': {
      text: 'Processes that load data, on the host only; without it twice the batch.',
    },
    'model.params.cond_stage_trainable': {
      text: 'Trains the text encoder as well: gradients and states of it.',
      values: ['true', 'false'],
    },
    'model.params.first_stage_config.target': {
      text: 'The frozen autoencoder: its weights and one pass of it, without gradients.',
    },
  },
};
