import type { Pack } from '../dialect';
import { countOrNone } from '../engine/readers';
import { pixels } from '../shared/vision';
import { refused } from '../shared/writing';

/** The three loaders that a step draws from. */
const STREAMS = ['t2i', 'lm', 'mmu'].map(name => `training.batch_size_${name}`);

/** One model that understands and makes images: showlab/Show-o. */
export const showO: Pack = {
  id: 'show-o',
  project: 'showlab/Show-o',
  extends: ['accelerate-diffusion'],
  evidence: { keys: ['model.showo', ...STREAMS] },
  signature: { strong: ['training.batch_size_t2i'] },
  quantities: {
    microBatchSize: run => {
      const streams = STREAMS.filter(one => run.has(one));
      if (streams.length === 0) return null;
      const sum = streams.reduce((total, one) => total + (run.count(one) ?? 0), 0);
      return run.derived(sum, streams, 'a step takes a batch of each stream');
    },
    imageSize: { keys: ['dataset.preprocessing.resolution'], read: pixels('hw') },
    numWorkers: { keys: ['dataset.params.num_workers'], read: countOrNone },
  },
  writers: { microBatchSize: refused('The batch is of several streams: change them one by one.') },
  help: {
    'training.batch_size_t2i': {
      text: 'Pairs of image and text of one step on each GPU; a step takes this, texts and questions.',
    },
    'training.batch_size_lm': { text: 'Texts of one step on each GPU, beside pairs and questions.' },
    'training.batch_size_mmu': {
      text: 'Questions about images of one step on each GPU, beside pairs and texts.',
    },
    'dataset.preprocessing.resolution': { text: 'Side of images in pixels: tokens grow with its square.' },
  },
};
