import { count, countOrNone } from '../engine/readers';
import type { Pack } from '../dialect';
import { ownPrecision } from '../hydra/rules';
import { plainSize } from '../shared/imageSize';

/** Examples of NVIDIA/physicsnemo: CorrDiff and Pangu-Weather. */
export const physicsnemo: Pack = {
  id: 'physicsnemo',
  project: 'NVIDIA/physicsnemo',
  extends: ['hydra'],
  evidence: { modules: ['physicsnemo'], keys: ['training.hp', 'training.perf', 'pangu'] },
  signature: {
    medium: ['training.batch_size_per_device', 'val.batch_size_per_device'],
    needs: ['training.batch_size_per_device'],
  },
  quantities: {
    globalBatchSize: { keys: ['training.hp.total_batch_size'], read: count },
    microBatchSize: { keys: ['training.hp.batch_size_per_gpu'], read: count },
    numWorkers: { keys: ['training.perf.dataloader_workers'], read: countOrNone },
    imageSize: { keys: ['pangu.img_size'], read: plainSize },
    ...ownPrecision('training.perf.fp_optimizations', {
      fp32: 'fp32',
      'amp-bf16': 'bf16-mixed',
      'amp-fp16': 'fp16-mixed',
    }),
  },
};
