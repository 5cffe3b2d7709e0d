import type { Dialect } from './dialect';
import { count, word } from './engine/readers';
import {
  accumulation,
  counted,
  cuda,
  effectiveOfMicro,
  encoderDecoder,
  plainTraining,
  unsaid,
  usually,
} from './shared/toolkit';

const BATCH = 'dataset_conf.batch_conf';
const UTILS = 'wenet/utils/train_utils.py';

/** WeNet's training configs; sources are files of wenet-e2e/wenet 0154699. */
export const wenet: Dialect = {
  id: 'wenet',
  title: 'WeNet',
  role: 'run',
  framework: { name: 'wenet', version: '3.1.0' },
  loader: 'pyyaml',
  signature: {
    strong: ['dataset_conf.batch_conf.*', 'dataset_conf.filter_conf.*', 'cmvn_conf.*'],
    medium: [
      'dataset_conf.*',
      'encoder_conf.*',
      'decoder_conf.*',
      'accum_grad',
      'optim_conf.*',
      'ctc_conf.*',
      'tokenizer_conf.*',
    ],
    weak: ['max_epoch', 'model_conf.*', 'grad_clip'],
    against: ['batch_bins', 'train_conf.*', 'dataset_conf.index_ds'],
    needs: ['dataset_conf.*'],
    least: 7,
  },
  quantities: {
    ...plainTraining(`${UTILS}: torch_ddp is what trains`),
    model: encoderDecoder,
    task: run => run.byCode('asr', 'wenet/bin/train.py'),
    microBatchSize: run => {
      const type = run.word(`${BATCH}.batch_type`) ?? 'static';
      if (type !== 'dynamic') return run.at(`${BATCH}.batch_size`, run.count(`${BATCH}.batch_size`));
      const frames = counted(run, `${BATCH}.max_frames_in_batch`, 'frames');
      return (
        frames ?? run.inUnit('frames', run.byDefault(12_000, 'wenet/dataset/dataset.py: max_frames_in_batch'))
      );
    },
    effectiveBatch: effectiveOfMicro,
    gradAccum: accumulation('accum_grad', `${UTILS}: accum_grad is 1`),
    seqLen: { keys: ['dataset_conf.filter_conf.max_length'], read: count, unit: 'frames' },
    precision: usually('fp32', `${UTILS}: --dtype is fp32, without --use_amp`),
    optimizer: { keys: ['optim'], read: word, absent: { value: 'adam', source: UTILS } },
    gradientCheckpointing: run => {
      const key = 'encoder_conf.gradient_checkpointing';
      return run.has(key)
        ? run.at(key, run.flag(key))
        : run.unknown('encoder_conf.gradient_checkpointing is not set.');
    },
    accelerator: cuda(`${UTILS}: --dist_backend is nccl`),
    devices: unsaid('torchrun says how many processes there are.'),
    numWorkers: unsaid('--num_workers of the command line.'),
  },
  details: { paddedRows: run => run.byCode(true, 'wenet/dataset/processor.py: padding') },
  writers: {
    microBatchSize: (to, run) =>
      run.word(`${BATCH}.batch_type`) === 'dynamic'
        ? { ok: false, why: 'Batches are dynamic: max_frames_in_batch decides, in frames.' }
        : { ok: true, writes: [{ key: `${BATCH}.batch_size`, value: to }] },
    precision: () => ({ ok: false, why: '--dtype and --use_amp of the command line decide it.' }),
  },
  launch: [
    {
      argv: [
        'torchrun',
        '--nproc_per_node={gpus}',
        'wenet/bin/train.py',
        '--config',
        '{config}',
        '--dtype',
        'fp32',
      ],
      source: 'examples/aishell/s0/run.sh, stage 4',
    },
  ],
  logs: [
    {
      pattern: String.raw`TRAIN Batch (?<epoch>\d+)/(?<step>\d+) loss (?<loss>[\d.e+-]+).*? lr (?<learningRate>[\d.e+-]+)`,
      fields: ['epoch', 'step', 'loss', 'learningRate'],
      example: 'TRAIN Batch 0/100 loss 85.1 loss_att 60.2 loss_ctc 142.9 lr 0.0000001 rank 0',
      source: `${UTILS}: log_per_step`,
    },
  ],
  help: {
    'dataset_conf.batch_conf.batch_type': {
      text: 'Which key is alive: `static` takes `batch_size`, `dynamic` takes `max_frames_in_batch`.',
      values: ['static', 'dynamic', 'bucket'],
      byDefault: 'static',
    },
    'dataset_conf.batch_conf.batch_size': {
      text: 'Recordings of one GPU, padded to the longest. Ignored where batches are dynamic.',
      byDefault: '16',
    },
    'dataset_conf.batch_conf.max_frames_in_batch': {
      text: 'Most frames of a batch on each GPU, padding included: activations grow with it.',
      byDefault: '12000',
    },
    'dataset_conf.filter_conf.max_length': {
      text: 'Longest recording in frames of 10 ms; longer ones are left out. Attention grows with its square.',
    },
    'dataset_conf.filter_conf.token_max_length': { text: 'Longest transcript in tokens.' },
    accum_grad: {
      text: 'Batches whose gradients are added up before a step. Takes no more activations.',
      byDefault: '1',
    },
    'encoder_conf.gradient_checkpointing': {
      text: 'Keeps the input of each block only and computes the rest again in backward.',
      values: ['true', 'false'],
      byDefault: 'false',
    },
    'encoder_conf.output_size': { text: 'Width of the encoder: weights grow with its square.' },
    'encoder_conf.num_blocks': { text: 'Blocks of the encoder.' },
  },
};
