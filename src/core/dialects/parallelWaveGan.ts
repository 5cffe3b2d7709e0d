import type { Dialect } from './dialect';
import { count, word } from './engine/readers';
import { always, cuda, effectiveOfMicro, plainTraining, unsaid, usually, workers } from './shared/toolkit';

const TRAIN = 'parallel_wavegan/bin/train.py';

/** ParallelWaveGAN's recipes; sources are files of kan-bayashi/ParallelWaveGAN 8674037. */
export const parallelWaveGan: Dialect = {
  id: 'parallel-wavegan',
  title: 'ParallelWaveGAN',
  role: 'run',
  framework: { name: 'parallel-wavegan', version: '0.6.1' },
  loader: 'pyyaml',
  signature: {
    strong: ['batch_max_steps', 'generator_params.*', 'discriminator_params.*'],
    medium: [
      'lambda_adv',
      'generator_optimizer_params.*',
      'discriminator_optimizer_params.*',
      'stft_loss_params.*',
      'discriminator_train_start_steps',
    ],
    weak: ['num_mels', 'sampling_rate', 'hop_size', 'batch_size'],
    against: ['trainer.*', 'encoder_conf.*'],
    needs: ['batch_size', 'batch_max_steps'],
    least: 6,
  },
  quantities: {
    ...plainTraining(TRAIN),
    model: {
      keys: ['generator_type'],
      read: word,
      absent: { value: 'ParallelWaveGANGenerator', source: TRAIN },
    },
    task: always('vocoder', TRAIN),
    microBatchSize: { keys: ['batch_size'], read: count },
    effectiveBatch: effectiveOfMicro,
    gradAccum: usually(1, `${TRAIN} steps after each batch`),
    seqLen: { keys: ['batch_max_steps'], read: count, unit: 'waveform samples' },
    precision: always('fp32', `${TRAIN}: no autocast`),
    optimizer: { keys: ['generator_optimizer_type'], read: word, absent: { value: 'RAdam', source: TRAIN } },
    accelerator: cuda(`${TRAIN}: cuda if there is one`),
    devices: unsaid('torchrun says how many processes there are.'),
    numWorkers: workers(['num_workers']),
  },
  launch: [
    {
      argv: [
        'torchrun',
        '--nproc_per_node',
        '{gpus}',
        '-m',
        'parallel_wavegan.bin.train',
        '--config',
        '{config}',
      ],
      source: 'egs/template_single_spk/voc1/run.sh',
    },
  ],
  logs: [
    {
      pattern: String.raw`\[train\]:\s+(?<percent>\d+)%\|[^|]*\| (?<step>\d+)/(?<steps>\d+) \[[^,]*, +(?<stepsPerSecond>[\d.]+)it/s`,
      bar: true,
      fields: ['percent', 'step', 'steps', 'stepsPerSecond'],
      example: '[train]:   0%|  | 100/400000 [00:30<33:00:00, 3.3it/s]',
      source: `${TRAIN}: tqdm`,
    },
  ],
  help: {
    batch_size: { text: 'Crops of one GPU, each `batch_max_steps` samples long.' },
    batch_max_steps: {
      text: 'Samples of a crop: activations of generator and discriminators grow with it in proportion. A multiple of `hop_size`.',
    },
    discriminator_train_start_steps: {
      text: 'Step from which the discriminators train: memory grows there.',
    },
    generator_type: {
      text: 'Class of the generator. Discriminators and their own optimizer come beside it.',
    },
    num_workers: { text: 'Processes that load data, on the host only.' },
  },
};
