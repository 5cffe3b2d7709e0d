import type { Dialect } from './dialect';
import { accumulation, cuda, effectiveOfMicro, plainTraining, unsaid } from './shared/toolkit';
import { counted } from './shared/toolkit';
import { wenetForms } from '../data/forms/sound';

/** CosyVoice's recipes in HyperPyYAML; sources are files of FunAudioLLM/CosyVoice ace7c47. */
export const cosyvoice: Dialect = {
  id: 'cosyvoice',
  title: 'CosyVoice',
  role: 'run',
  framework: { name: 'cosyvoice', version: '3.0' },
  loader: 'hyperpyyaml',
  signature: {
    strong: ['data_pipeline[]', 'train_conf.*', '__set_seed1'],
    medium: ['train_conf.accum_grad', 'llm.*', 'flow.*', 'hift.*', 'hifigan.*'],
    weak: ['sample_rate'],
    against: ['encoder_conf.*', 'dataset_conf.*'],
    needs: ['data_pipeline[]', 'flow.*', 'hift.*', 'hifigan.*'],
    least: 8,
  },
  quantities: {
    ...plainTraining('cosyvoice/bin/train.py'),
    model: run => {
      const name = /^!new:([\w.]+)$/.exec(run.tag('llm') ?? '')?.[1];
      return name === undefined ? run.unknown('No language model is named.') : run.at('llm', name);
    },
    task: run => run.byCode('tts', 'cosyvoice/bin/train.py'),
    microBatchSize: run => {
      if (run.word('batch.batch_type') === 'static') {
        return run.at('batch.batch_size', run.count('batch.batch_size'));
      }
      return (
        counted(run, 'batch.max_frames_in_batch', 'mel frames') ??
        run.unknown('No batch section states the most frames of a batch.')
      );
    },
    effectiveBatch: effectiveOfMicro,
    gradAccum: accumulation('train_conf.accum_grad', 'cosyvoice/utils/train_utils.py'),
    precision: unsaid('--use_amp and the DeepSpeed JSON of the command line decide it.'),
    optimizer: run => {
      const name = run.word('train_conf.optim');
      return name === null ? run.unknown('train_conf.optim is not set.') : run.at('train_conf.optim', name);
    },
    accelerator: cuda('cosyvoice/bin/train.py: --dist_backend is nccl'),
    devices: unsaid('torchrun says how many processes there are.'),
    numWorkers: unsaid('--num_workers of the command line.'),
  },
  details: { paddedRows: run => run.byCode(true, 'cosyvoice/dataset/processor.py: padding') },
  launch: [
    {
      argv: [
        'torchrun',
        '--nproc_per_node={gpus}',
        'cosyvoice/bin/train.py',
        '--config',
        '{config}',
        '--model',
        'llm',
      ],
      source: 'examples/libritts/cosyvoice/run.sh',
    },
  ],
  logs: wenetForms,
  help: {
    'batch.max_frames_in_batch': {
      text: 'Most mel frames of a batch on each GPU, padding included. Activations grow with it.',
    },
    'batch.batch_type': {
      text: '`dynamic` fills batches up to a number of frames, `static` takes a number of samples.',
      values: ['dynamic', 'static'],
    },
    'train_conf.accum_grad': {
      text: 'Batches whose gradients are added up before a step; 1 in GAN training.',
    },
  },
};
