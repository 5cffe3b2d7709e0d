import type { Dialect } from './dialect';
import { count, countOrNone, word } from './engine/readers';
import { autocastByPrecision } from './shared/lightning';
import { items, madeFor, pixels, wholeModel } from './shared/vision';
import { lightningLogs } from './shared/lightningLogs';

/** Donut; sources are lines of clovaai/donut 4cfcf97 (train.py on Lightning). */
export const donut: Dialect = {
  id: 'donut',
  title: 'Donut',
  role: 'run',
  framework: { name: 'donut-python', version: '1.0.9' },
  loader: 'pyyaml',
  signature: {
    strong: ['train_batch_sizes[]', 'train_batch_sizes', 'dataset_name_or_paths[]', 'dataset_name_or_paths'],
    medium: ['pretrained_model_name_or_path', 'input_size', 'max_length', 'align_long_axis'],
    weak: ['num_nodes', 'accumulate_grad_batches'],
    against: [],
    least: 6,
  },
  quantities: {
    ...wholeModel('train.py'),
    model: { keys: ['pretrained_model_name_or_path'], read: word },
    task: madeFor('document_understanding', 'train.py'),
    // One data loader for each set, and a step takes a batch of each.
    microBatchSize: run => {
      const each = items(run.value('train_batch_sizes'))?.map(Number) ?? [];
      const sum = each.reduce((total, one) => total + one, 0);
      return sum > 0 ? run.at('train_batch_sizes', sum) : run.unknown('train_batch_sizes is not set.');
    },
    evalBatchSize: run => {
      const each = items(run.value('val_batch_sizes'))?.map(Number) ?? [];
      const sum = each.reduce((total, one) => total + one, 0);
      return sum > 0 ? run.at('val_batch_sizes', sum) : run.unknown('val_batch_sizes is not set.');
    },
    gradAccum: {
      keys: ['accumulate_grad_batches'],
      read: count,
      absent: { value: 1, source: 'lightning trainer/trainer.py' },
    },
    seqLen: { keys: ['max_length'], read: count },
    imageSize: { keys: ['input_size'], read: pixels('hw') },
    precision: run => run.byCode('fp16-mixed', 'train.py L144-154: precision=16'),
    optimizer: run => run.byCode('Adam', 'lightning_module.py: torch.optim.Adam'),
    devices: run => run.byCode<number | 'auto'>('auto', 'train.py: devices=torch.cuda.device_count()'),
    nodes: { keys: ['num_nodes'], read: count, absent: { value: 1, source: 'train.py' } },
    accelerator: run => run.byCode('cuda', 'train.py: accelerator="gpu"'),
    strategy: run => run.byCode('ddp', 'train.py'),
    numWorkers: { keys: ['num_workers'], read: countOrNone },
  },
  details: { autocast: autocastByPrecision },
  launch: [
    {
      argv: ['python', 'train.py', '--config', '{config}'],
      source: 'Donut README.md; keys follow as --train_batch_sizes [8]',
    },
  ],
  logs: lightningLogs,
  help: {
    train_batch_sizes: { text: 'Images of one forward pass on each GPU, for each dataset; they add up.' },
    val_batch_sizes: { text: 'Images of one pass of validation, for each dataset.' },
    accumulate_grad_batches: { text: 'Batches added up before a step.' },
    input_size: { text: 'Height and width of pages: activations of the encoder grow with their product.' },
    max_length: { text: 'Longest answer, in tokens.' },
  },
};
