import type { KeyHelp, Launch } from '../dialect';
import type { LogLine } from '../../data/forms/line';

export const unslothLaunch: readonly Launch[] = [
  {
    argv: ['unsloth', 'train', '--config', '{config}'],
    writes: ['output_dir'],
    source: 'unsloth_cli: one process, one GPU',
  },
];

export const unslothLogs: readonly LogLine[] = [
  {
    pattern: String.raw`Num examples = [\d,]+ \| Num Epochs = (?<epochs>[\d,]+) \| Total steps = (?<steps>\d+)`,
    fields: ['epochs', 'steps'],
    example: 'Num examples = 51,760 | Num Epochs = 1 | Total steps = 60',
    source: 'unsloth/models/llama.py L2890-2894',
  },
  {
    pattern: String.raw`\{'loss': '?(?<loss>[\d.e+-]+)'?, .*'learning_rate': '?(?<learningRate>[\d.e+-]+)'?, 'epoch': '?(?<epoch>[\d.]+)'?`,
    fields: ['loss', 'learningRate', 'epoch'],
    example: "{'loss': 1.8263, 'grad_norm': 0.55, 'learning_rate': 0.0002, 'epoch': 0.01}",
    source: 'transformers trainer_callback.py, PrinterCallback',
  },
];

const YES_NO = ['true', 'false'] as const;

/** What the keys of `unsloth train` do to memory; sources as in the dialect's table. */
export const unslothHelp: Readonly<Record<string, KeyHelp>> = {
  'training.training_type': {
    text: 'What is trained: adapters, or everything.',
    values: ['lora', 'full'],
    byDefault: 'lora',
  },
  'training.load_in_4bit': {
    text: 'Loads the frozen base in 4 bits: a quarter of 16-bit weights. It is on unless this is false.',
    values: YES_NO,
    byDefault: 'true',
  },
  'training.batch_size': {
    text: 'Rows of one forward pass on each GPU. Activations grow with it in proportion.',
  },
  'training.gradient_accumulation_steps': {
    text: 'Micro batches added up before the optimizer steps. Takes no activations.',
  },
  'training.max_seq_length': { text: 'Longest row in tokens.' },
  'training.packing': { text: 'Several samples in one row.', values: YES_NO },
  'training.gradient_checkpointing': {
    text: 'Checkpoints of layers: `unsloth` keeps them on the host, `true` on the GPU, `none` keeps all activations.',
    values: ['unsloth', 'true', 'none'],
  },
  'lora.lora_r': {
    text: 'Rank of the adapters: their weights, gradients and states grow with it.',
    byDefault: '64',
  },
  'lora.lora_alpha': { text: 'Scale of the adapters; takes no memory.', byDefault: '16' },
  'lora.target_modules': {
    text: 'Modules with adapters, separated by commas.',
    byDefault: 'the seven projections of a layer',
  },
};
