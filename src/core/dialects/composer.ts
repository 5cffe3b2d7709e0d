import { builtIn } from './defined/compile';
import file from './composer.yaml';
import type { Quantity } from '../spec/quantity';
import type { Dialect } from './dialect';
import { accumulationFromGlobal } from './engine/common';
import type { RunReader } from './engine/runReader';
import { llmFoundryWriters } from './llmFoundry/writers';
import { autocastByPrecision } from './shared/lightning';
import {
  fsdp,
  gradientCheckpointing,
  microBatchSize,
  offload,
  precisionRow,
  reentrant,
} from './shared/composerTrainer';

function task(run: RunReader): Quantity<string> {
  if (run.has('mlm_probability') || run.has('train_loader.dataset.mlm_probability')) {
    return run.derived('mlm_pretrain', ['mlm_probability'], 'words are masked');
  }
  if (run.has('train_dataset.crop_size')) {
    return run.derived('image_classification', ['train_dataset.crop_size'], 'images are cropped');
  }
  if (run.word('model._target_')?.includes('diffusion') === true) {
    return run.derived('denoising', ['model._target_'], 'mosaicml/diffusion trains denoisers');
  }
  if (run.has('model.num_labels')) {
    return run.derived('sequence_classification', ['model.num_labels'], 'labels are counted');
  }
  return run.unknown('The task is the script that is started; no key says it.');
}

/** Trainers built on MosaicML's Composer outside LLM Foundry; mosaicml/examples daddaef, mosaicml/diffusion 49282fd. */
export const composer: Dialect = builtIn(file, {
  quantities: {
    task,
    microBatchSize,
    gradAccum: accumulationFromGlobal,
    evalBatchSize: {
      absent: run => {
        const key = ['global_eval_batch_size', 'eval_dataset.batch_size', 'dataset.eval_batch_size'].find(
          name => run.has(name),
        );
        const total = key === undefined ? null : run.count(key);
        const ranks = run.get('gpus').value;
        if (key === undefined || total === null) return run.unknown('No evaluation batch is set.');
        if (ranks === null) return run.unknown(`${total} over all GPUs, whose number is not in the files.`);
        return run.derived(total / ranks, [key, 'gpus'], `${total} ÷ ${ranks} GPUs`);
      },
    },
    imageSize: run => {
      const key = ['train_dataset.crop_size', 'dataset.train_dataset.resize_size'].find(name =>
        run.has(name),
      );
      const side = key === undefined ? null : run.count(key);
      return key === undefined || side === null
        ? run.unknown('No image size is set.')
        : run.at(key, [side, side]);
    },
    precision: precisionRow('fp16-mixed', 'composer/trainer/trainer.py: amp_fp16 on GPUs'),
    gradientCheckpointing: {
      ...gradientCheckpointing,
      absent: run =>
        run.has('fsdp_config')
          ? run.byDefault(false, 'composer/utils/parallelism.py FSDPConfig')
          : run.unknown('The model’s own code decides it.'),
    },
    fsdp,
    offload,
  },
  details: {
    autocast: autocastByPrecision,
    reentrantCheckpointing: reentrant,
  },
  writers: llmFoundryWriters,
});
