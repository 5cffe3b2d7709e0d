import type { Pack } from '../dialect';
import { count, countOrNone } from '../engine/readers';
import { pixels } from '../shared/vision';

const TOKENIZER = 'model.vq_model';

/** Images as a few tokens, and generators of those: bytedance/1d-tokenizer. */
export const oneDTokenizer: Pack = {
  id: '1d-tokenizer',
  project: 'bytedance/1d-tokenizer',
  extends: ['accelerate-diffusion'],
  evidence: { keys: ['training.per_gpu_batch_size', 'dataset.preprocessing.crop_size'] },
  signature: { strong: ['training.per_gpu_batch_size'], medium: ['model.vq_model.*'] },
  quantities: {
    task: run => (run.has(TOKENIZER) && !run.has('model.maskgen') ? run.at(TOKENIZER, 'autoencoder') : null),
    microBatchSize: { keys: ['training.per_gpu_batch_size'], read: count },
    imageSize: { keys: ['dataset.preprocessing.crop_size'], read: pixels('hw') },
    numWorkers: { keys: ['dataset.params.num_workers_per_gpu'], read: countOrNone },
  },
  help: {
    'training.per_gpu_batch_size': {
      text: 'Images of one forward pass on each GPU: activations grow with them in proportion.',
    },
  },
};
