import type { Dialect } from './dialect';
import { count, word } from './engine/readers';
import { always, plainTraining, unsaid, usually } from './shared/toolkit';
import { styleTtsForm } from '../data/forms/trainers';

/** StyleTTS 2's config; sources are files of yl4579/StyleTTS2 5cedc71. */
export const styleTts2: Dialect = {
  id: 'styletts2',
  title: 'StyleTTS 2',
  role: 'run',
  framework: { name: 'styletts2', version: '0.1' },
  loader: 'pyyaml',
  signature: {
    strong: ['PLBERT_dir', 'slmadv_params.*', 'epochs_1st'],
    medium: [
      'ASR_config',
      'F0_path',
      'model_params.*',
      'preprocess_params.*',
      'data_params.train_data',
      'epochs_2nd',
    ],
    weak: ['batch_size', 'max_len', 'device'],
    against: ['trainer.*', 'encoder_conf.*'],
    needs: ['batch_size'],
    least: 6,
  },
  quantities: {
    ...plainTraining('train_first.py, train_second.py'),
    model: always('StyleTTS2', 'models.py: build_model'),
    task: always('tts', 'train_first.py, train_second.py'),
    // Stage 1 runs under accelerate, each process with this batch; stage 2 divides it with DataParallel.
    microBatchSize: { keys: ['batch_size'], read: count },
    gradAccum: usually(1, 'train_first.py steps after each batch'),
    seqLen: { keys: ['max_len'], read: count, unit: 'frames' },
    precision: unsaid('accelerate’s --mixed_precision decides it in stage 1; stage 2 is fp32.'),
    optimizer: always('AdamW', 'optimizers.py: AdamW for each part'),
    accelerator: { keys: ['device'], read: word, absent: { value: 'cuda', source: 'train_second.py' } },
    devices: unsaid('accelerate launch says how many processes there are.'),
    numWorkers: unsaid('train_first.py: num_workers is in the code.'),
  },
  launch: [
    {
      argv: [
        'accelerate',
        'launch',
        '--num_processes',
        '{gpus}',
        'train_first.py',
        '--config_path',
        '{config}',
      ],
      source: 'README.md: stage 1; stage 2 is python train_second.py',
    },
  ],
  logs: [styleTtsForm],
  help: {
    batch_size: { text: 'Crops of one process in stage 1; of all GPUs together in stage 2.' },
    max_len: { text: 'Longest crop in mel frames: activations grow with it in proportion. 100 at least.' },
    'slmadv_params.batch_percentage': {
      text: 'Share of the batch that joint training with the speech model takes: less is less memory.',
    },
    'slmadv_params.max_len': { text: 'Longest crop of joint training, in mel frames.' },
    'loss_params.joint_epoch': { text: 'Epoch from which joint training starts: memory grows there.' },
    'loss_params.diff_epoch': {
      text: 'Epoch from which the diffusion of styles is trained: memory grows there.',
    },
    'model_params.hidden_dim': { text: 'Width of the model.' },
  },
};
