import { template } from '../../text/say';
import type { Facts } from '../fact';

const SPEECHBRAIN = `__set_seed: !apply:torch.manual_seed [1]
output_folder: results
save_folder: results/save
train_log: results/train_log.txt
number_of_epochs: 10
batch_size: 8
grad_accumulation_factor: 1
precision: fp32
epoch_counter: !new:speechbrain.utils.epoch_loop.EpochCounter
  limit: 10
`;

/** Pitfalls of SpeechBrain; sources are files of speechbrain/speechbrain 9c826ef. */
export const speechbrainFacts: Facts = {
  dialects: ['speechbrain'],
  facts: [
    {
      id: 'speechbrain-batch-size-unread',
      severity: 'hint',
      summary: '`batch_size` has no effect with dynamic batching.',
      when: { on: ['dynamic_batching'], stated: ['batch_size'] },
      at: ['batch_size'],
      message: template(
        '{batch_size} is not read for training with {dynamic_batching}. The longest batch, in seconds or frames, decides the memory. Change that.',
      ),
      meaning: 'Dynamic batches are filled up to a total of padded lengths, with any number of recordings.',
      advice: 'Set `max_batch_length_train` (in older recipes `max_batch_length` or `max_batch_len`).',
      source:
        'recipes/LibriSpeech/ASR/transformer/train.py: train_batch_sampler takes the place of batch_size',
      example: `${SPEECHBRAIN}dynamic_batching: True\nmax_batch_length_train: 150\n`,
      counterexample: `${SPEECHBRAIN}dynamic_batching: False\nmax_batch_length_train: 150\n`,
    },
    {
      id: 'speechbrain-auto-mix-prec',
      severity: 'information',
      summary: '`auto_mix_prec` is the older name of `precision: fp16`.',
      when: { on: ['auto_mix_prec'], absent: ['precision'] },
      at: ['auto_mix_prec'],
      message: template(
        '{auto_mix_prec} still means precision: fp16, with a warning. Write precision, which takes bf16 as well.',
      ),
      meaning: 'The flag only supports fp16. `precision` supports fp32, fp16 and bf16.',
      advice: 'Set `precision: fp16` or `precision: bf16` instead.',
      source: 'speechbrain/core.py L357: “Please use `--precision=fp16` instead.”',
      example: `${SPEECHBRAIN.replace('precision: fp32\n', '')}auto_mix_prec: True\n`,
      counterexample: `${SPEECHBRAIN}auto_mix_prec: False\n`,
    },
  ],
};

const ESPNET = `encoder: conformer
encoder_conf:
  output_size: 256
decoder: transformer
decoder_conf:
  num_blocks: 6
model_conf:
  ctc_weight: 0.3
batch_type: numel
batch_bins: 1000000
accum_grad: 4
max_epoch: 50
optim: adam
scheduler: warmuplr
use_amp: true
`;

const OPTIONS = 'espnet doc/espnet2_training_option.md: batch_type';

/** Pitfalls of ESPnet2. */
export const espnetFacts: Facts = {
  dialects: ['espnet'],
  facts: [
    {
      id: 'espnet-bins-unread',
      severity: 'warning',
      summary: '`batch_bins` has no effect where batches count sentences.',
      when: { stated: ['batch_bins'], is: { batch_type: ['unsorted', 'sorted', 'folded'] } },
      at: ['batch_bins', 'batch_type'],
      message: template(
        '{batch_bins} is not read with {batch_type}. Batches have batch_size sentences, over all GPUs. Set that, or use numel.',
      ),
      meaning: 'The batch type decides which of the two keys is read.',
      advice: 'Set `batch_type: numel` for bins, or `batch_size` for sentences.',
      source: OPTIONS,
      example: ESPNET.replace('numel', 'folded'),
      counterexample: ESPNET,
    },
    {
      id: 'espnet-size-unread',
      severity: 'warning',
      summary: '`batch_size` has no effect where batches count bins.',
      when: { stated: ['batch_size'], is: { batch_type: ['numel', 'length'] } },
      at: ['batch_size', 'batch_type'],
      message: template(
        '{batch_size} is not read with {batch_type}. Batches are filled up to batch_bins, over all GPUs. Set that, or use folded.',
      ),
      meaning: 'The batch type decides which of the two keys is read.',
      advice: 'Set `batch_bins`, or `batch_type: folded` for sentences.',
      source: OPTIONS,
      example: `${ESPNET}batch_size: 20\n`,
      counterexample: `${ESPNET.replace('numel', 'folded').replace('batch_bins: 1000000\n', '')}batch_size: 20\n`,
    },
  ],
};

const WENET = `encoder: conformer
encoder_conf:
  output_size: 256
decoder: transformer
ctc_conf:
  ctc_blank_id: 0
dataset_conf:
  filter_conf:
    max_length: 40960
  batch_conf:
    batch_type: 'static'
    batch_size: 16
accum_grad: 4
optim: adam
max_epoch: 100
`;

/** Pitfalls of WeNet; sources are files of wenet-e2e/wenet 0154699. */
export const wenetFacts: Facts = {
  dialects: ['wenet'],
  facts: [
    {
      id: 'wenet-size-unread',
      severity: 'warning',
      summary: '`batch_size` has no effect in dynamic batches.',
      when: {
        stated: ['dataset_conf.batch_conf.batch_size'],
        is: { 'dataset_conf.batch_conf.batch_type': ['dynamic'] },
      },
      at: ['dataset_conf.batch_conf.batch_size'],
      message: template(
        '{dataset_conf.batch_conf.batch_size} is ignored with dynamic batches. The memory depends on max_frames_in_batch (default 12000). Set that.',
      ),
      meaning: 'Dynamic batches are filled up to a total of padded frames on each GPU.',
      advice: 'Set `max_frames_in_batch`, or `batch_type: static`.',
      source: 'wenet/dataset/dataset.py: batch_conf.batch_type',
      example: WENET.replace("'static'", "'dynamic'"),
      counterexample: WENET,
    },
    {
      id: 'wenet-frames-unread',
      severity: 'warning',
      summary: '`max_frames_in_batch` has no effect in static batches.',
      when: {
        stated: ['dataset_conf.batch_conf.max_frames_in_batch'],
        is: { 'dataset_conf.batch_conf.batch_type': ['static'] },
      },
      at: ['dataset_conf.batch_conf.max_frames_in_batch'],
      message: template(
        '{dataset_conf.batch_conf.max_frames_in_batch} is ignored with static batches. The memory depends on batch_size and the longest row. Use dynamic batches, or remove it.',
      ),
      meaning: 'Static batches have a fixed number of recordings, padded to the longest.',
      advice: 'Set `batch_type: dynamic` to limit frames.',
      source: 'wenet/dataset/dataset.py: batch_conf.batch_type',
      example: WENET.replace('batch_size: 16', 'max_frames_in_batch: 12000'),
      counterexample: WENET.replace('batch_size: 16', 'max_frames_in_batch: 12000').replace(
        "'static'",
        "'dynamic'",
      ),
    },
  ],
};

const FAIRSEQ = `common:
  fp16: true
task:
  _name: audio_pretraining
dataset:
  max_tokens: 1400000
criterion:
  _name: wav2vec
optimization:
  max_update: 1000
optimizer:
  _name: adam
lr_scheduler:
  _name: polynomial_decay
model:
  _name: wav2vec2
`;

/** Pitfalls of fairseq; sources are files of facebookresearch/fairseq 3d262bb. */
export const fairseqFacts: Facts = {
  dialects: ['fairseq'],
  facts: [
    {
      id: 'fairseq-fp16-and-amp',
      severity: 'error',
      summary: '`fp16` and `amp` cannot be combined.',
      when: { on: ['common.fp16', 'common.amp'] },
      at: ['common.amp', 'common.fp16'],
      message: template(
        '{common.fp16} and {common.amp} cannot be combined: the trainer fails an assertion. Keep amp for autocast on fp32 weights, fp16 for 16-bit weights.',
      ),
      meaning:
        '`fp16` converts the model itself to 16 bits, with a flat fp32 copy in the optimizer. `amp` uses autocast.',
      advice: 'Remove one of the two.',
      source: 'fairseq/trainer.py: “Cannot use fp16 and AMP together”',
      example: FAIRSEQ.replace('fp16: true', 'fp16: true\n  amp: true'),
      counterexample: FAIRSEQ,
    },
  ],
};

const AUDIOCRAFT = `solver: musicgen
autocast: false
autocast_dtype: float16
fsdp:
  use: true
  param_dtype: float16
dataset:
  batch_size: 128
  num_workers: 10
  segment_duration: 30
transformer_lm:
  dim: 1024
optim:
  optimizer: adamw
  epochs: 500
`;

/** Pitfalls of AudioCraft; sources are files of facebookresearch/audiocraft 896ec7c. */
export const audiocraftFacts: Facts = {
  dialects: ['audiocraft'],
  facts: [
    {
      id: 'audiocraft-fsdp-autocast',
      severity: 'error',
      summary: "FSDP doesn't work with autocast.",
      when: { on: ['fsdp.use', 'autocast'] },
      at: ['autocast', 'fsdp.use'],
      message: template(
        '{autocast} cannot be used with {fsdp.use}: the solver fails an assertion. Turn autocast off.',
      ),
      meaning: 'FSDP has its own mixed precision, in `fsdp.param_dtype`.',
      advice: 'Set `autocast: false`. The quick fix does this.',
      set: { key: 'autocast', to: false },
      source: 'audiocraft/solvers/musicgen.py: “Cannot use autocast with fsdp”',
      example: AUDIOCRAFT.replace('autocast: false', 'autocast: true'),
      counterexample: AUDIOCRAFT,
    },
  ],
};

const OPENNMT = `data:
  corpus_1:
    path_src: src.txt
    path_tgt: tgt.txt
world_size: 1
gpu_ranks: [0]
encoder_type: transformer
decoder_type: transformer
batch_type: tokens
batch_size: 4096
accum_count: [4]
`;

/** Pitfalls of OpenNMT-py; sources are files of OpenNMT/OpenNMT-py 97111d9. */
export const opennmtFacts: Facts = {
  dialects: ['opennmt'],
  facts: [
    {
      id: 'opennmt-no-gpu',
      severity: 'warning',
      summary: 'Without `gpu_ranks` OpenNMT trains on the processor.',
      when: { stated: ['world_size'], absent: ['gpu_ranks'] },
      at: ['world_size'],
      message: template('{world_size} without gpu_ranks trains on the processor. List the GPUs’ ranks.'),
      meaning: 'Only the listed ranks use a GPU. By default, the list is empty.',
      advice: 'Set `gpu_ranks: [0]`, with as many ranks as `world_size`.',
      source: 'onmt/opts.py: gpu_ranks is []',
      example: OPENNMT.replace('gpu_ranks: [0]\n', ''),
      counterexample: OPENNMT,
    },
  ],
};

const DDSP = `data:
  encoder: contentvec768l12
  duration: 2
model:
  type: RectifiedFlow
env:
  expdir: exp
  gpu_id: 0
train:
  num_workers: 2
  amp_dtype: fp32
  batch_size: 48
  cache_all_data: true
  cache_device: cuda
`;

/** Pitfalls of DDSP-SVC; sources are files of yxlllc/DDSP-SVC 88f157c. */
export const ddspSvcFacts: Facts = {
  dialects: ['ddsp-svc'],
  facts: [
    {
      id: 'ddsp-svc-data-on-the-gpu',
      severity: 'information',
      summary: 'The whole dataset is kept on the GPU.',
      when: { on: ['train.cache_all_data'], is: { 'train.cache_device': ['cuda'] } },
      at: ['train.cache_device'],
      message: template(
        '{train.cache_device} keeps the whole dataset in GPU memory, in addition to the model. Set cpu if memory is short.',
      ),
      meaning: 'All features are loaded once, to the device that the key names.',
      advice: 'Set `train.cache_device: cpu`. The quick fix does this.',
      set: { key: 'train.cache_device', to: 'cpu' },
      source: 'configs/reflow.yaml: cache_device; data_loaders.py',
      example: DDSP,
      counterexample: DDSP.replace('cache_device: cuda', 'cache_device: cpu'),
    },
  ],
};
