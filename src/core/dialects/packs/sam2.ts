import { count, countOrNone, flag, word } from '../engine/readers';
import type { Pack } from '../dialect';
import { ownPrecision } from '../hydra/rules';
import { plainSize } from '../shared/imageSize';

/** Fine-tuning of SAM 2 on videos: facebookresearch/sam2, whose trainer is its own. */
export const sam2: Pack = {
  id: 'sam2',
  project: 'facebookresearch/sam2 2b90b9f',
  extends: ['hydra'],
  evidence: { modules: ['training.model.sam2', 'sam2'], classKeys: ['trainer.model._target_'] },
  task: 'video_segmentation',
  quantities: {
    model: { keys: ['trainer.model._target_'], read: word },
    microBatchSize: { keys: ['scratch.train_batch_size'], read: count },
    numWorkers: { keys: ['scratch.num_train_workers'], read: countOrNone },
    seqLen: { keys: ['scratch.num_frames'], read: count },
    imageSize: { keys: ['scratch.resolution'], read: plainSize },
    optimizer: { keys: ['trainer.optim.optimizer._target_'], read: word },
    gradientCheckpointing: { keys: ['trainer.model.use_act_ckpt_iterative_pt_sampling'], read: flag },
    ...ownPrecision('trainer.optim.amp.amp_dtype', { bfloat16: 'bf16-mixed', float16: 'fp16-mixed' }),
    devices: { keys: ['launcher.gpus_per_node'], read: count },
    nodes: { keys: ['launcher.num_nodes'], read: count },
    strategy: run => (run.has('trainer') ? run.byCode('ddp', 'sam2 2b90b9f training/trainer.py') : null),
  },
};
