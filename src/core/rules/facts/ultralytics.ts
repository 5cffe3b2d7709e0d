import { template } from '../../text/say';
import type { Facts } from '../fact';

const BASE = 'task: detect\nmode: train\nmodel: yolo11m.pt\ndata: coco8.yaml\nimgsz: 640\nepochs: 100\n';

/** Pitfalls of Ultralytics; sources are files of ultralytics 8.3. */
export const ultralyticsFacts: Facts = {
  dialects: ['ultralytics'],
  facts: [
    {
      id: 'ultralytics-autobatch-ddp',
      severity: 'error',
      summary: 'AutoBatch is for one GPU only.',
      when: {
        below: { batch: 1 },
        equals: { strategy: 'ddp' },
      },
      at: ['batch'],
      message: template(
        '{batch} asks for AutoBatch, and {device} names several GPUs. The trainer raises a ValueError. Give a batch that all of them share.',
      ),
      meaning:
        'AutoBatch tries batches on one GPU before training starts. With several GPUs, it stops; older releases used 16.',
      advice: 'Set `batch` to a multiple of the number of GPUs, or train on one.',
      source: 'ultralytics/engine/trainer.py: AutoBatch with batch<1 not supported for Multi-GPU training',
      example: `${BASE}batch: -1\ndevice: "0,1"\n`,
      counterexample: `${BASE}batch: -1\ndevice: "0"\n`,
    },
    {
      id: 'ultralytics-record-before-autobatch',
      severity: 'information',
      summary: 'A run’s record has the requested batch, but AutoBatch chose another one later.',
      when: { below: { batch: 1 }, stated: ['save_dir'] },
      at: ['batch'],
      message: template(
        '{batch} was written to this record before AutoBatch chose. The batch that was trained with is in the log.',
      ),
      meaning:
        'args.yaml is saved when the trainer is created, before AutoBatch, the AMP check and the rounding of sizes.',
      advice: 'Look for `AutoBatch: Using batch-size` in the log, and state that number.',
      source: 'ultralytics/engine/trainer.py: args.yaml is saved in the constructor',
      example: `${BASE}batch: -1\nsave_dir: runs/detect/train\n`,
      counterexample: `${BASE}batch: 16\nsave_dir: runs/detect/train\n`,
    },
    {
      id: 'ultralytics-resume-ignores',
      severity: 'warning',
      summary: 'A resumed run takes its settings from the checkpoint.',
      when: { on: ['resume'], absent: ['save_dir'] },
      at: ['resume'],
      message: template(
        '{resume} uses the settings of the checkpoint. Only a few of this file count, such as imgsz, batch and device.',
      ),
      meaning: 'Later changes of settings are silently ignored.',
      advice: 'Start a new run from the weights instead: `model: last.pt` and `resume: False`.',
      source: 'ultralytics/engine/trainer.py: check_resume',
      example: `${BASE}batch: 16\nresume: true\n`,
      counterexample: `${BASE}batch: 16\nresume: false\n`,
    },
    {
      id: 'ultralytics-multi-scale',
      severity: 'information',
      summary: 'Multi-scale training feeds images that are larger than `imgsz`.',
      when: { on: ['multi_scale'] },
      at: ['multi_scale'],
      message: template(
        '{multi_scale} draws sizes above {imgsz}: up to half as much again with true. The largest decides how much memory is taken.',
      ),
      meaning:
        'Activations grow with the square of the side: 1.5 times the side needs 2.25 times the memory.',
      advice: 'Leave memory for it, or reduce `imgsz` or `batch`.',
      source: 'ultralytics/models/yolo/detect/train.py: preprocess_batch',
      example: `${BASE}batch: 16\nmulti_scale: true\n`,
      counterexample: `${BASE}batch: 16\nmulti_scale: false\n`,
    },
  ],
};
