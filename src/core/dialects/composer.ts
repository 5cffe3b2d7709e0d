import type { Quantity } from '../spec/quantity';
import type { Dialect } from './dialect';
import { accumulationFromGlobal } from './engine/common';
import { count, countOrNone, word } from './engine/readers';
import type { RunReader } from './engine/runReader';
import { llmFoundryWriters } from './llmFoundry/writers';
import { autocastByPrecision } from './shared/lightning';
import {
  composerHelp,
  composerLaunch,
  composerLogs,
  fsdp,
  gpus,
  gradientCheckpointing,
  loadDtype,
  microBatchSize,
  offload,
  precisionRaw,
  precisionRow,
  reentrant,
} from './shared/composerTrainer';

/** bert/main.py, resnet_imagenet/main.py, diffusion's train.py: all of them divide by the world's size. */
const GLOBAL_BATCHES = ['global_train_batch_size', 'train_dataset.batch_size', 'dataset.train_batch_size'];

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
export const composer: Dialect = {
  id: 'composer',
  title: 'Composer',
  role: 'run',
  framework: { name: 'composer', version: '0.32' },
  loader: 'omegaconf',
  signature: {
    strong: [
      'global_train_batch_size',
      'device_train_microbatch_size',
      'trainer.device_train_microbatch_size',
      'trainer._target_~composer',
      'max_duration~(ba|ep|sp|tok|dur)$',
      'trainer.max_duration~(ba|ep|sp|tok|dur)$',
    ],
    medium: [
      'device_eval_batch_size',
      'precision~^amp_',
      'scheduler.t_warmup~(ba|ep|dur|sp|tok)$',
      'algorithms.*',
      'eval_interval~(ba|ep)$',
      'train_loader.*',
      'model.name~^hf_|mosaic_bert',
    ],
    weak: ['optimizer.name', 'loggers.*', 'train_dataset.*'],
    against: ['tokenizer.kwargs', 'variables'],
    needs: GLOBAL_BATCHES,
    least: 6,
  },
  roots: ['parameters'],
  quantities: {
    model: {
      keys: [
        'model.pretrained_model_name',
        'model.pretrained_model_name_or_path',
        'model.name',
        'model._target_',
      ],
      read: word,
    },
    task,
    method: run => run.byCode('full', 'mosaicml/examples, mosaicml/diffusion: no adapters'),
    microBatchSize,
    globalBatchSize: { keys: GLOBAL_BATCHES, read: count },
    gradAccum: accumulationFromGlobal,
    evalBatchSize: {
      keys: ['device_eval_batch_size'],
      read: count,
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
    seqLen: { keys: ['max_seq_len'], read: count },
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
    precisionRaw,
    loadDtype,
    quantization: run => run.none('mosaicml/examples: nothing is quantised'),
    optimizer: { keys: ['optimizer.name', 'optimizer._target_'], read: word },
    gradientCheckpointing: {
      ...gradientCheckpointing,
      absent: run =>
        run.has('fsdp_config')
          ? run.byDefault(false, 'composer/utils/parallelism.py FSDPConfig')
          : run.unknown('The model’s own code decides it.'),
    },
    fsdp,
    offload,
    zeroStage: run => run.none('composer: no deepspeed_config'),
    parallel: run => run.none('composer: parallelism_config is None'),
    gpus,
    accelerator: run => run.byDefault('cuda', 'composer/trainer/trainer.py: a GPU where there is one'),
    numWorkers: {
      keys: ['train_loader.num_workers', 'num_workers', 'dataset.train_dataset.num_workers'],
      read: countOrNone,
    },
    lora: run => run.none('mosaicml/examples: no adapters'),
  },
  details: {
    autocast: autocastByPrecision,
    reentrantCheckpointing: reentrant,
    fixedLength: run => run.byCode(true, 'bert/src/text_data.py, glue/data.py: padding to max_seq_len'),
    paddedRows: run => run.byCode(true, 'bert/src/text_data.py, glue/data.py: padding to max_seq_len'),
  },
  writers: llmFoundryWriters,
  launch: composerLaunch('main.py', 'mosaicml/examples benchmarks/*/README.md'),
  logs: composerLogs,
  help: composerHelp,
};
