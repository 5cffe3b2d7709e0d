import type { Dialect } from './dialect';
import { count } from './engine/readers';
import { accumulation, ampFlag, cuda, plainTraining, rawFlag, unsaid, workers } from './shared/toolkit';
import { plainBar } from '../data/forms/trainers';

const SECTIONS = ['pretrain_expert.datarc', 'downstream_expert.datarc'] as const;
const data = (name: string): readonly string[] => SECTIONS.map(section => `${section}.${name}`);

/** s3prl's runner configs; sources are files of s3prl/s3prl ec8064b. */
export const s3prl: Dialect = {
  id: 's3prl',
  title: 's3prl',
  role: 'run',
  framework: { name: 's3prl', version: '0.4.17' },
  loader: 'pyyaml',
  signature: {
    strong: ['runner.gradient_accumulate_steps', 'runner.total_steps'],
    medium: [
      'downstream_expert.datarc.*',
      'pretrain_expert.datarc.*',
      'runner.eval_dataloaders',
      'runner.log_step',
      'optimizer.name',
    ],
    weak: ['runner.save_step', 'runner.max_keep', 'scheduler.name'],
    against: [],
    needs: ['runner.total_steps', 'runner.n_epochs'],
    least: 6,
  },
  quantities: {
    ...plainTraining('s3prl/run_downstream.py'),
    model: unsaid('-u of the command line names the upstream.'),
    task: run =>
      run.has('pretrain_expert')
        ? run.derived('pretraining', ['pretrain_expert'], 'what pretrains an upstream')
        : run.unknown('-d of the command line names the downstream task.'),
    // s3prl/run_downstream.py: the upstream is frozen unless -f is given.
    method: run =>
      run.has('pretrain_expert')
        ? run.byCode('full', 's3prl/run_pretrain.py')
        : run.byDefault('freeze', 's3prl/run_downstream.py: -f trains the upstream too'),
    microBatchSize: { keys: [...data('train_batch_size'), ...data('batch_size')], read: count },
    evalBatchSize: { keys: data('eval_batch_size'), read: count },
    gradAccum: accumulation('runner.gradient_accumulate_steps', 's3prl/downstream/runner.py'),
    precision: ampFlag('runner.fp16', 's3prl/pretrain/runner.py: fp16 is off'),
    precisionRaw: rawFlag('runner.fp16'),
    optimizer: {
      keys: ['optimizer.torch_optim_name', 'optimizer.name'],
      read: value => (typeof value === 'string' ? { ok: value.replace(/_with_schedule$/, '') } : null),
    },
    accelerator: cuda('s3prl/run_downstream.py: --device is cuda'),
    devices: unsaid('The launcher says how many processes there are.'),
    numWorkers: workers(data('num_workers')),
  },
  details: { paddedRows: run => run.byCode(true, 's3prl/downstream/runner.py: pad_sequence') },
  launch: [
    {
      argv: [
        'python3',
        'run_downstream.py',
        '-m',
        'train',
        '-n',
        'NAME',
        '-u',
        'UPSTREAM',
        '-d',
        'DOWNSTREAM',
        '-c',
        '{config}',
      ],
      source: 's3prl/docs/source/tutorial: run_downstream',
    },
  ],
  logs: [
    plainBar(
      'train:   1%|          | 100/10000 [00:30<49:30,  3.33it/s]',
      's3prl/downstream/runner.py: tqdm',
    ),
  ],
  help: {
    'runner.gradient_accumulate_steps': {
      text: 'Batches whose gradients are added up before a step.',
      byDefault: '1',
    },
    'downstream_expert.datarc.train_batch_size': {
      text: 'Recordings of one process, padded to the longest. The upstream runs over them without gradients unless `-f` is given.',
    },
    'pretrain_expert.datarc.train_batch_size': { text: 'Recordings of one process, padded to the longest.' },
    'pretrain_expert.datarc.max_timestep': {
      text: 'Longest crop; 0 takes whole recordings, and one long one can run out of memory.',
    },
    'runner.fp16': { text: 'Autocast in fp16.', values: ['true', 'false'], byDefault: 'false' },
  },
};
