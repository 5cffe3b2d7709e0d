import type { Pack } from '../dialect';
import { count, word } from '../engine/readers';

const WIDTH = 'data.train_width';
const HEIGHT = 'data.train_height';
const FRAMES = 'data.n_sample_frames';

/** Figures that move: MooreThreads/Moore-AnimateAnyone. */
export const mooreAnimateAnyone: Pack = {
  id: 'moore-animate-anyone',
  project: 'MooreThreads/Moore-AnimateAnyone',
  extends: ['accelerate-diffusion'],
  evidence: { keys: ['data.train_bs', WIDTH, FRAMES] },
  signature: {
    strong: ['solver.mixed_precision', 'data.train_bs'],
    medium: ['solver.gradient_accumulation_steps'],
  },
  quantities: {
    model: { keys: ['base_model_path', 'pretrained_base_model_path'], read: word },
    microBatchSize: { keys: ['data.train_bs'], read: count },
    imageSize: run => {
      const width = run.count(WIDTH);
      const height = run.count(HEIGHT);
      return width !== null && height !== null ? run.at(WIDTH, [width, height]) : null;
    },
    seqLen: { keys: [FRAMES], read: count },
  },
  details: {
    frames: run => (run.has(FRAMES) ? run.at(FRAMES, run.count(FRAMES)) : null),
  },
  help: {
    'data.train_bs': {
      text: 'Clips of one forward pass on each GPU: activations grow with them in proportion.',
    },
    [WIDTH]: { text: 'Width of frames in pixels; activations grow with width times height.' },
    [HEIGHT]: { text: 'Height of frames in pixels; activations grow with width times height.' },
  },
};
