import type { Quantity } from '../spec/quantity';
import type { Dialect } from './dialect';
import type { RunReader } from './engine/runReader';
import { count, word } from './engine/readers';
import { always, counted, effectiveOfMicro, plainTraining, unsaid, workers } from './shared/toolkit';

const OPTS = 'onmt/opts.py';

/** `accum_count: [2, 4]` with `accum_steps: [0, 1000]`: it may change during the run. */
function accumulation(run: RunReader): Quantity<number> {
  const value = run.value('accum_count');
  if (value === null) return run.byDefault(1, `${OPTS}: accum_count is [1]`);
  const counts = (Array.isArray(value) ? value : [value]).map(Number);
  if (new Set(counts).size !== 1) return run.unknown('accum_count changes during the run.');
  return run.at('accum_count', counts[0] ?? null);
}

function batch(key: string, type: string) {
  return (run: RunReader): Quantity<number> | null =>
    counted(run, key, (run.word(type) ?? 'sents') === 'tokens' ? 'tokens' : 'sentences');
}

/** `world_size` counts processes, one for each GPU; without `gpu_ranks` the processor trains. */
function devices(run: RunReader): Quantity<number | 'auto'> {
  const ranks = run.value('gpu_ranks');
  if (ranks === null || (Array.isArray(ranks) && ranks.length === 0)) {
    return run.byDefault<number>(0, `${OPTS}: without gpu_ranks the CPU trains`);
  }
  const world = run.count('world_size');
  const formula = 'world_size processes, one for each GPU';
  if (world !== null) return run.derived(world, ['world_size'], formula);
  return run.derived(1, ['gpu_ranks'], `${OPTS}: world_size is 1`);
}

/** OpenNMT-py's training configs; sources are files of OpenNMT/OpenNMT-py 97111d9. */
export const opennmt: Dialect = {
  id: 'opennmt',
  title: 'OpenNMT-py',
  role: 'run',
  framework: { name: 'opennmt-py', version: '3.5.1' },
  loader: 'pyyaml',
  signature: {
    strong: ['accum_count', 'gpu_ranks', 'batch_type~^(tokens|sents)$'],
    medium: [
      'save_model',
      'world_size',
      'train_steps',
      'encoder_type',
      'decoder_type',
      'transformer_ff',
      'word_vec_size',
      'src_vocab',
    ],
    weak: ['batch_size', 'optim', 'model_dtype'],
    against: ['encoder_conf.*'],
    // Configs for translation have a model and a batch, and train nothing.
    needs: ['save_model', 'train_steps', 'accum_count', 'encoder_type'],
    least: 7,
  },
  quantities: {
    ...plainTraining('onmt/trainer.py'),
    model: { keys: ['encoder_type'], read: word, absent: { value: 'rnn', source: `${OPTS}: encoder_type` } },
    task: always('translation', 'onmt/bin/train.py'),
    microBatchSize: run =>
      batch('batch_size', 'batch_type')(run) ??
      run.inUnit('sentences', run.byDefault(64, `${OPTS}: batch_size is 64`)),
    evalBatchSize: run =>
      batch('valid_batch_size', 'valid_batch_type')(run) ??
      run.unknown('valid_batch_size is not set: 32 is the default.'),
    effectiveBatch: effectiveOfMicro,
    gradAccum: accumulation,
    seqLen: { keys: ['src_seq_length'], read: count },
    precision: run => {
      const name = run.word('model_dtype');
      if (name === null) return run.byDefault('fp32', `${OPTS}: model_dtype is fp32`);
      return name === 'fp16' ? run.at('model_dtype', 'fp16-mixed') : run.at('model_dtype', name);
    },
    precisionRaw: { keys: ['model_dtype'], read: word },
    optimizer: { keys: ['optim'], read: word, absent: { value: 'sgd', source: `${OPTS}: optim` } },
    gradientCheckpointing: unsaid('use_ckpting lists the layers that are checkpointed.'),
    accelerator: run =>
      run.get('devices').value === 0 ? run.byDefault('cpu', OPTS) : run.byCode('cuda', `${OPTS}: gpu_ranks`),
    devices,
    nodes: run => run.byCode(1, 'onmt/bin/train.py: world_size processes on this machine'),
    numWorkers: workers(['num_workers']),
  },
  details: { paddedRows: run => run.byCode(true, 'onmt/inputters: rows are padded') },
  writers: {
    gradAccum: (to, run) =>
      Array.isArray(run.value('accum_count'))
        ? { ok: false, why: 'accum_count is a list that goes with accum_steps.' }
        : { ok: true, writes: [{ key: 'accum_count', value: to, near: ['batch_size'] }] },
  },
  launch: [{ argv: ['onmt_train', '-config', '{config}'], source: 'docs/source/quickstart.md' }],
  logs: [
    {
      pattern: String.raw`Step (?<step>\d+)/\s*(?<steps>\d+); acc: [\d.]+; ppl: [\d.]+; xent: (?<loss>[\d.]+); lr: (?<learningRate>[\d.e+-]+);.*?(?<tokensPerSecond>\d+) tok/s`,
      fields: ['step', 'steps', 'loss', 'learningRate', 'tokensPerSecond'],
      example:
        '[2024-05-01 12:00:00,000 INFO] Step 50/100000; acc: 4.2; ppl: 23456.0; xent: 10.1; lr: 0.00001; sents: 3000; bsz: 3900/ 210/ 8; 12000/12500 tok/s; 60 sec;',
      source: 'onmt/utils/statistics.py',
    },
  ],
  help: {
    batch_size: {
      text: 'Of one GPU, in the unit of `batch_type`; tokens count padding, on the longer side of source and target.',
      byDefault: '64',
    },
    batch_type: {
      text: 'Whether a batch counts sentences or tokens.',
      values: ['sents', 'tokens'],
      byDefault: 'sents',
    },
    accum_count: {
      text: 'Batches whose gradients are added up before a step; a list goes with `accum_steps`.',
      byDefault: '[1]',
    },
    world_size: { text: 'Processes, one for each GPU.', byDefault: '1' },
    gpu_ranks: { text: 'Ranks of the processes on this machine. Without it the CPU trains.' },
    model_dtype: {
      text: '`fp16` computes in 16 bits with an fp32 copy of the weights.',
      values: ['fp32', 'fp16'],
      byDefault: 'fp32',
    },
    src_seq_length: { text: 'Longest source, where the transform `filtertoolong` is on.' },
    hidden_size: { text: 'Width of the layers.' },
    use_ckpting: { text: 'Layers whose activations are computed again in backward.' },
    quant_layers: { text: 'Layers whose weights are held in fewer bits.' },
  },
};
