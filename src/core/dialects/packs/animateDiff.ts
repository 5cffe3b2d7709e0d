import type { Pack } from '../dialect';
import { count, word } from '../engine/readers';
import { mixedWord, pixels, textOf } from '../shared/vision';

const FRAMES = 'train_data.sample_n_frames';
const AUTOCAST = 'mixed_precision_training';

/** Motion for a frozen U-Net: guoyww/AnimateDiff. */
export const animateDiff: Pack = {
  id: 'animatediff',
  project: 'guoyww/AnimateDiff',
  extends: ['accelerate-diffusion'],
  evidence: { keys: ['train_data', 'trainable_modules', AUTOCAST, 'unet_additional_kwargs'] },
  signature: {
    strong: ['noise_scheduler_kwargs.*', 'trainable_modules[]', 'unet_additional_kwargs.*'],
    medium: ['pretrained_model_path'],
  },
  quantities: {
    model: { keys: ['pretrained_model_path'], read: word },
    method: run => (run.has('trainable_modules') ? run.at('trainable_modules', 'freeze') : null),
    seqLen: { keys: [FRAMES], read: count },
    imageSize: { keys: ['train_data.sample_size'], read: pixels('hw') },
    precision: {
      keys: [AUTOCAST],
      read: mixedWord,
      write: to => (to === 'fp32' ? false : to === 'fp16-mixed' ? true : null),
    },
    precisionRaw: run =>
      run.has(AUTOCAST) ? run.at(AUTOCAST, `${AUTOCAST}: ${textOf(run.value(AUTOCAST))}`) : null,
    strategy: run =>
      run.has(AUTOCAST)
        ? run.byCode('ddp', 'AnimateDiff train.py: the U-Net is wrapped in DDP, always')
        : null,
  },
  details: {
    frames: run => (run.has(FRAMES) ? run.at(FRAMES, run.count(FRAMES)) : null),
  },
  help: {
    'train_data.sample_size': { text: 'Side of frames in pixels: tokens grow with its square.' },
    [FRAMES]: { text: 'Frames of a clip: activations grow with them in proportion.' },
    [AUTOCAST]: { text: 'Autocast in fp16 with a gradient scaler.', values: ['true', 'false'] },
    trainable_modules: {
      text: 'Modules whose weights are trained: only they have gradients and optimizer states.',
    },
  },
};
