import type { Dialect } from './dialect';
import { count, word } from './engine/readers';
import { always, counted, deviceList, plainTraining, unsaid } from './shared/toolkit';
import { effectiveOfShared, shareOfBatch } from './shared/toolkit';

/** Marian's configs, whose keys are its command line's; sources are marian-nmt/marian-examples 6c40475 and marian --help. */
export const marian: Dialect = {
  id: 'marian',
  title: 'Marian',
  role: 'run',
  framework: { name: 'marian', version: '1.12.0' },
  loader: 'pyyaml',
  signature: {
    strong: ['mini-batch', 'mini-batch-fit', 'transformer-dim-ffn', 'maxi-batch'],
    medium: [
      'dim-emb',
      'enc-depth',
      'disp-freq',
      'optimizer-params',
      'workspace',
      'sync-sgd',
      'optimizer-delay',
    ],
    weak: ['learn-rate', 'label-smoothing'],
    against: [],
    needs: ['mini-batch', 'mini-batch-fit', 'mini-batch-words', 'optimizer-params', 'learn-rate'],
    least: 5,
  },
  quantities: {
    ...plainTraining('marian --help'),
    model: { keys: ['type'], read: word, absent: { value: 'amun', source: 'marian --help: --type' } },
    task: always('translation', 'marian trains translation'),
    globalBatchSize: run => {
      if (run.flag('mini-batch-fit')) {
        return run.unknown('mini-batch-fit: batches are made as large as the workspace takes.');
      }
      const words = counted(run, 'mini-batch-words', 'tokens');
      if (words) return words;
      return (
        counted(run, 'mini-batch', 'sentences') ??
        run.inUnit('sentences', run.byDefault(64, 'marian --help: --mini-batch is 64'))
      );
    },
    microBatchSize: shareOfBatch,
    effectiveBatch: effectiveOfShared,
    evalBatchSize: { keys: ['valid-mini-batch'], read: count, unit: 'sentences' },
    gradAccum: {
      keys: ['optimizer-delay'],
      read: count,
      absent: { value: 1, source: 'marian --help: --optimizer-delay is 1' },
    },
    seqLen: {
      keys: ['max-length'],
      read: count,
      absent: { value: 50, source: 'marian --help: --max-length is 50' },
    },
    precision: run => {
      if (run.flag('fp16')) return run.at('fp16', 'fp16-mixed');
      const first = run.words('precision')?.[0]?.split(' ')[0];
      if (first !== undefined) return run.at('precision', first === 'float16' ? 'fp16-mixed' : 'fp32');
      return run.byDefault('fp32', 'marian --help: --precision is float32 float32');
    },
    optimizer: {
      keys: ['optimizer'],
      read: word,
      absent: { value: 'adam', source: 'marian --help: --optimizer is adam' },
    },
    accelerator: always('cuda', 'marian --help: --cpu-threads is 0'),
    devices: {
      keys: ['devices'],
      read: deviceList,
      absent: { value: 1, source: 'marian --help: --devices is 0' },
    },
    nodes: always(1, 'marian --help: --multi-node is off'),
    gradientCheckpointing: unsaid('gradient-checkpointing is not set.'),
  },
  details: { paddedRows: run => run.byCode(true, 'marian pads sentences of a batch') },
  writers: {
    microBatchSize: () => ({ ok: false, why: 'Batches count what all GPUs share, or fill the workspace.' }),
  },
  launch: [{ argv: ['marian', '-c', '{config}'], source: 'marian-examples/transformer-intro' }],
  logs: [
    {
      pattern: String.raw`Ep\. (?<epoch>\d+) : Up\. (?<step>\d+) : Sen\. [\d,]+ : Cost (?<loss>[\d.]+).*? : (?<tokensPerSecond>[\d.]+) words/s`,
      fields: ['epoch', 'step', 'loss', 'tokensPerSecond'],
      example:
        '[2024-05-01 12:00:00] Ep. 1 : Up. 1000 : Sen. 245,760 : Cost 8.1 : Time 100.2s : 18000.0 words/s : gNorm 0.7',
      source: 'marian src/training/scheduler.h',
    },
  ],
  help: {
    workspace: {
      text: 'MB that are reserved on each GPU for activations; a negative number leaves that many free. With `mini-batch-fit` batches fill it.',
      byDefault: '2048',
    },
    'mini-batch-fit': {
      text: 'Makes batches as large as the workspace takes: `mini-batch` is then only a starting point.',
      values: ['true', 'false'],
      byDefault: 'false',
    },
    'mini-batch': { text: 'Sentences of all GPUs together.', byDefault: '64' },
    'mini-batch-words': { text: 'Words of all GPUs together, in place of sentences.' },
    'optimizer-delay': { text: 'Batches whose gradients are added up before a step.', byDefault: '1' },
    devices: { text: 'Indices of GPUs: `0 1 2 3`.', byDefault: '0' },
    fp16: {
      text: 'Computes in fp16 with an fp32 copy of the weights.',
      values: ['true', 'false'],
      byDefault: 'false',
    },
    'max-length': { text: 'Longest sentence; longer ones are left out.', byDefault: '50' },
    'maxi-batch': { text: 'Batches that are sorted by length together, on the host.', byDefault: '100' },
    'exponential-smoothing': { text: 'Keeps a smoothed copy of the weights beside them.' },
  },
};
