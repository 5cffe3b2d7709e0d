import { builtIn } from './defined/compile';
import file from './ldmSgm.yaml';
import type { Quantity } from '../spec/quantity';
import type { Dialect } from './dialect';
import type { RunReader } from './engine/runReader';
import { autocastByPrecision, lightningTrainer, lightningDevices } from './shared/lightning';
import { pixels, wholeModel } from './shared/vision';
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
export const ldmSgm: Dialect = builtIn(file, {
  quantities: {
    ...wholeModel('main.py'),
    ...trainer,
    task,
    imageSize,
    optimizer: run => {
      const target = run.word('model.params.optimizer_config.target');
      return target === null
        ? run.unknown('The model’s class chooses the optimizer.')
        : run.at('model.params.optimizer_config.target', target);
    },
    devices: { read: lightningDevices },
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
});
