import type { Dialect } from '../dialect';

/** How Ludwig is started, what it prints, and what its keys do to memory. */
export const ludwigFiles: Pick<Dialect, 'launch' | 'logs' | 'help'> = {
  launch: [
    { argv: ['ludwig', 'train', '--config', '{config}', '--dataset', 'DATA'], source: 'ludwig/train.py' },
  ],
  logs: [
    {
      pattern: String.raw`Training:\s+(?<percent>\d+)%\|[^|]*\| (?<step>\d+)/(?<steps>\d+) \[[^,]*,\s+(?<stepsPerSecond>[\d.]+)it/s, loss=(?<loss>[\d.e+-]+)`,
      bar: true,
      fields: ['percent', 'step', 'steps', 'stepsPerSecond', 'loss'],
      example: 'Training:  33%|███▎ | 100/300 [00:50<01:40,  2.00it/s, loss=0.45]',
      source: 'ludwig/trainers/trainer.py: progress bar',
    },
  ],
  help: {
    'trainer.batch_size': {
      text: 'Rows of one worker. `auto` tries sizes when the run starts, until memory runs out.',
      byDefault: 'auto, for LLMs 1',
    },
    'trainer.effective_batch_size': {
      text: 'batch_size × gradient_accumulation_steps × workers; a multiple of the first.',
      byDefault: 'auto',
    },
    'trainer.gradient_accumulation_steps': {
      text: 'Batches whose gradients are added up before a step.',
      byDefault: 'auto',
    },
    'trainer.max_batch_size': { text: 'Largest batch that `auto` tries.' },
    'trainer.eval_batch_size': {
      text: 'Rows of a batch of evaluation.',
      byDefault: 'batch_size, for LLMs 2',
    },
    'trainer.enable_gradient_checkpointing': {
      text: 'Keeps the input of each layer only and computes the rest again in backward.',
      values: ['true', 'false'],
      byDefault: 'false',
    },
    'trainer.use_mixed_precision': {
      text: 'Autocast in fp16.',
      values: ['true', 'false'],
      byDefault: 'false',
    },
    'quantization.bits': {
      text: 'Weights of the language model in 8 or 4 bits; needs a GPU and an adapter.',
      values: ['4', '8'],
    },
    'adapter.r': { text: 'Rank of the adapters.', byDefault: '8' },
    'preprocessing.global_max_sequence_length': { text: 'Longest row of prompt and answer in tokens.' },
    base_model: { text: 'The language model that is tuned.' },
  },
};
