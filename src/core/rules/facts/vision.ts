import { template } from '../../text/say';
import type { Facts } from '../fact';

const DETECTRON =
  'MODEL:\n  META_ARCHITECTURE: GeneralizedRCNN\n  RESNETS:\n    DEPTH: 50\nSOLVER:\n  IMS_PER_BATCH: 16\n';

/** Sources are lines of facebookresearch/detectron2 02b5c4e. */
export const detectron2Facts: Facts = {
  dialects: ['detectron2'],
  facts: [
    {
      id: 'detectron2-rescaled-batch',
      severity: 'information',
      summary: 'The batch size is rescaled to the number of GPUs of the run.',
      when: { above: { 'SOLVER.REFERENCE_WORLD_SIZE': 0 } },
      at: ['SOLVER.REFERENCE_WORLD_SIZE'],
      message: template(
        '{SOLVER.REFERENCE_WORLD_SIZE} sets the number of GPUs that the batch size is for. With another number, batch size, learning rate and iterations are rescaled, and the batch size per GPU stays the same.',
      ),
      meaning: 'More GPUs then don’t split the batch: each GPU has the same batch as before.',
      advice: 'To keep the batch, set it to 0.',
      source: 'detectron2/engine/defaults.py: auto_scale_workers',
      example: `${DETECTRON}  REFERENCE_WORLD_SIZE: 8\n`,
      counterexample: `${DETECTRON}  REFERENCE_WORLD_SIZE: 0\n`,
    },
  ],
};

const DETR =
  'task: detection\nmodel: RTDETR\nuse_amp: True\nuse_ema: True\ntrain_dataloader:\n  total_batch_size: 16\n';

/** Sources are lines of lyuwenyu/RT-DETR 068dfde (rtdetrv2_pytorch). */
export const detrYamlFacts: Facts = {
  dialects: ['detr-yaml'],
  facts: [
    {
      id: 'detr-two-batches',
      severity: 'error',
      summary: 'Both a batch size for all GPUs and one per GPU are set.',
      when: { stated: ['train_dataloader.total_batch_size', 'train_dataloader.batch_size'] },
      at: ['train_dataloader.batch_size'],
      message: template(
        '{train_dataloader.batch_size} and {train_dataloader.total_batch_size} are both set. Exactly one of them may be, and the loader stops.',
      ),
      meaning: '`total_batch_size` is for all GPUs together, `batch_size` is for each GPU.',
      advice: 'Remove one. A base in `__include__` may set the other.',
      source: 'src/core/yaml_config.py L147-160',
      example: `${DETR}  batch_size: 4\n`,
      counterexample: DETR,
    },
  ],
};

const TIMM =
  'model: vit_base_patch16_224\nopt: adamw\nsched: cosine\nmodel_ema: true\namp: true\nbatch_size: 64\n';

/** Sources are lines of huggingface/pytorch-image-models aa4b585. */
export const timmFacts: Facts = {
  dialects: ['timm'],
  facts: [
    {
      id: 'timm-aug-splits',
      severity: 'information',
      summary: 'Augmentation splits multiply the batch.',
      when: { above: { aug_splits: 1 } },
      at: ['aug_splits'],
      message: template(
        '{aug_splits} feeds several versions of each image together. A step processes that many times {batch_size}.',
      ),
      meaning:
        'The split dataset returns each image several times, and the forward pass processes all of them.',
      advice: 'Reduce `batch_size` by the same factor if memory is short.',
      source: 'train.py: AugMixDataset(num_splits=aug_splits)',
      example: `${TIMM}aug_splits: 3\n`,
      counterexample: `${TIMM}aug_splits: 0\n`,
    },
  ],
};

const LAVIS =
  'model:\n  arch: blip2\nrun:\n  task: image_text_pretrain\n  batch_size_train: 100\n  max_epoch: 10\n';

/** Sources are lines of salesforce/LAVIS 506965b. */
export const lavisFacts: Facts = {
  dialects: ['lavis'],
  facts: [
    {
      id: 'lavis-world-size',
      severity: 'information',
      summary: '`world_size` of LAVIS is overwritten by the launcher.',
      when: { above: { 'run.world_size': 1 } },
      at: ['run.world_size'],
      message: template(
        '{run.world_size} is a placeholder. The launcher overwrites it with the processes that it starts.',
      ),
      meaning: '`torch.distributed.run --nproc_per_node` sets the number of GPUs.',
      advice: 'Set the number on the command line.',
      source: 'lavis/common/dist_utils.py: init_distributed_mode',
      example: `${LAVIS}  world_size: 8\n`,
      counterexample: `${LAVIS}  world_size: 1\n`,
    },
  ],
};
