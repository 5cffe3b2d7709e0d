import type { Quantity } from '../spec/quantity';
import type { Dialect } from './dialect';
import type { RunReader } from './engine/runReader';
import { always, cuda, effectiveOfMicro, plainTraining, rawFlag, workers } from './shared/toolkit';
import { lightningPrecision } from './shared/lightning';
import { sovitsForm } from '../data/forms/trainers';
import { lightningLogs } from './shared/lightningLogs';

const MODULE = 'GPT_SoVITS/AR/models/t2s_lightning_module.py';

/** With DPO each batch is halved (AR/data/data_module.py L46-51). */
function batch(run: RunReader): Quantity<number> {
  const key = 'train.batch_size';
  const rows = run.count(key);
  if (rows === null || !run.flag('train.if_dpo')) return run.at(key, rows);
  return run.derived(Math.max(Math.floor(rows / 2), 1), [key, 'train.if_dpo'], `${rows} ÷ 2 with DPO`);
}

/** GPT-SoVITS' configs of its first stage; sources are files of RVC-Boss/GPT-SoVITS 48b1a01. */
export const gptSovits: Dialect = {
  id: 'gpt-sovits',
  title: 'GPT-SoVITS',
  role: 'run',
  framework: { name: 'gpt-sovits', version: '2' },
  loader: 'pyyaml',
  signature: {
    strong: ['model.phoneme_vocab_size', 'data.max_sec'],
    medium: [
      'train.save_every_n_epoch',
      'train.gradient_clip',
      'model.random_bert',
      'train.if_dpo',
      'data.max_eval_sample',
      'optimizer.lr_init',
    ],
    weak: ['train.batch_size', 'train.precision', 'model.EOS'],
    against: ['trainer.*', 'encoder_conf.*'],
    needs: ['train.batch_size'],
    least: 6,
  },
  quantities: {
    ...plainTraining('GPT_SoVITS/s1_train.py'),
    model: always('Text2Semantic decoder', 'GPT_SoVITS/AR/models/t2s_model.py: Text2SemanticDecoder'),
    task: always('tts_ar', 'GPT_SoVITS/s1_train.py'),
    microBatchSize: batch,
    effectiveBatch: effectiveOfMicro,
    gradAccum: always(4, `${MODULE} L54: steps every fourth batch`),
    precision: {
      keys: ['train.precision'],
      read: lightningPrecision,
      absent: { value: 'fp32', source: 'GPT_SoVITS/s1_train.py: precision of the Trainer' },
    },
    precisionRaw: run => {
      const words = run.word('train.precision');
      return words === null ? rawFlag('train.precision')(run) : run.at('train.precision', words);
    },
    optimizer: always('ScaledAdam', `${MODULE}: configure_optimizers`),
    accelerator: cuda('GPT_SoVITS/s1_train.py: gpu if there is one'),
    devices: always<number | 'auto'>('auto', 'GPT_SoVITS/s1_train.py: devices=-1'),
    nodes: always(1, 'GPT_SoVITS/s1_train.py: num_nodes'),
    strategy: always('ddp', 'GPT_SoVITS/s1_train.py: DDPStrategy'),
    numWorkers: workers(['data.num_workers']),
  },
  details: {
    autocast: run =>
      run.derived(
        run.get('precision').value?.endsWith('-mixed') ?? false,
        ['precision'],
        'Lightning autocasts',
      ),
    paddedRows: run => run.byCode(true, 'GPT_SoVITS/AR/data/dataset.py: batch_sequences'),
  },
  launch: [
    {
      argv: ['python', 'GPT_SoVITS/s1_train.py', '--config_file', '{config}'],
      source: 'GPT_SoVITS/s1_train.py',
    },
  ],
  logs: [...lightningLogs, sovitsForm],
  help: {
    'train.batch_size': {
      text: 'Samples of one GPU, at most a quarter of the data; halved with `if_dpo`. Every fourth batch steps.',
    },
    'train.if_dpo': {
      text: 'Trains on pairs: each batch is halved, and every sample is there twice.',
      values: ['true', 'false'],
      byDefault: 'false',
    },
    'train.precision': { text: 'Lightning’s precision.', values: ['32', '16-mixed', 'bf16-mixed'] },
    'data.max_sec': {
      text: 'Longest sample in seconds; longer ones are left out. Attention grows with its square.',
      byDefault: '54',
    },
    'model.n_layer': { text: 'Layers of the decoder.' },
    'data.num_workers': { text: 'Processes that load data, on the host only.' },
  },
};
