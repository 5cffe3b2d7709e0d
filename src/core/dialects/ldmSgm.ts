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
      keys: [`${DATA}.batch_size`, `${DATA}.loader.batch_size`, 'model.params.batchsize'],
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
    numWorkers: { keys: [`${DATA}.num_workers`, `${DATA}.loader.num_workers`], read: countOrNone },
  },
  details: { autocast: autocastByPrecision },
};
