import { line } from './line';

/** fairseq prints its statistics as words, as JSON or between bars. */
const fairseqForms = [
  line({
    start: String.raw`\bepoch (?<epoch>{})(?::\s+\d+ / \d+ | \| )(?=.*?num_updates[= ])`,
    parts: {
      loss: String.raw`(?<!\w)loss[= ]{}`,
      tokensPerSecond: String.raw`\bwps[= ]{}`,
      stepsPerSecond: String.raw`\bups[= ]{}`,
      step: String.raw`\bnum_updates[= ]{}`,
      learningRate: String.raw`\blr[= ]{}`,
      gradNorm: String.raw`\bgnorm[= ]{}`,
      free: String.raw`\bgb_free[= ]{}`,
    },
    memory: { free: { what: 'gb_free', unit: 'GiB' } },
    example:
      'epoch 143:     85 / 282 loss=3.147, nll_loss=1.236, wps=72384.3, ups=1.21, wpb=59997.9, num_updates=40100, lr=0.000157917, gnorm=0.489, clip=0, gb_free=9.3, wall=0',
    source: 'fairseq logging/progress_bar.py SimpleProgressBar',
  }),
  line({
    start: String.raw`\bepoch (?<epoch>{})\s{1,4}(?<step>{}) / (?<steps>{}) loss=(?<loss>{})`,
    parts: {
      tokensPerSecond: String.raw`\bwps={}`,
      learningRate: String.raw`\blr={}`,
      gradNorm: String.raw`\bgnorm={}`,
    },
    example:
      '| epoch 010  2000 / 8223 loss=1.27 (1.50), wps=962, wpb=908, bsz=32, lr=0.001, clip=100%, gnorm=2.1427',
    source: 'fairseq-py of 2018',
  }),
  line({
    start: String.raw`\{(?=.*?"(?:train_)?num_updates":)`,
    parts: {
      epoch: String.raw`"epoch": "?{}`,
      loss: String.raw`"(?:train_)?loss": "?{}`,
      tokensPerSecond: String.raw`"(?:train_)?wps": "?{}`,
      stepsPerSecond: String.raw`"(?:train_)?ups": "?{}`,
      step: String.raw`"(?:train_)?num_updates": "?{}`,
      learningRate: String.raw`"(?:train_)?lr": "?{}`,
      gradNorm: String.raw`"(?:train_)?gnorm": "?{}`,
      free: String.raw`"(?:train_)?gb_free": "?{}`,
    },
    memory: { free: { what: 'gb_free', unit: 'GiB' } },
    example:
      '{"epoch": 1, "update": 0.0, "loss": "16.475", "wps": "0", "ups": "0", "num_updates": "1", "lr": "2e-05", "gnorm": "20.751", "gb_free": "9.3", "wall": "105"}',
    source: 'fairseq logging/progress_bar.py JsonProgressBar',
  }),
];

/** ESPnet 2; its long lines are often wrapped. */
const espnetForms = [
  line({
    start: String.raw`\b(?<epoch>{})epoch:train:\d+-(?<step>{})batch:`,
    parts: {
      loss: String.raw`(?<!\w)loss={}`,
      gradNorm: String.raw`grad_norm={}`,
      learningRate: String.raw`(?:optim\d_)?lr_?\d={}`,
      secondsPerStep: String.raw`train_time={}`,
    },
    example:
      '1epoch:train:1-90batch: iter_time=0.003, forward_time=0.095, loss_ctc=557.480, loss=80.856, backward_time=0.041, grad_norm=530.879, optim0_lr0=6.250e-07, train_time=0.734',
    source: 'espnet2/train/reporter.py log_message',
  }),
];

const speechbrainForms = [
  line({
    start: String.raw`\b[Ee]poch: (?<epoch>{}), .*?(?=- train )`,
    parts: { loss: String.raw`- train loss: {}`, loss2: String.raw`- train [^:,]{1,40}: {}` },
    example: 'epoch: 1, lr: 5.00e-04 - train loss: 6.18, train loss2: 6.93e-01 - valid loss: 6.93e-01',
    source: 'speechbrain/utils/train_logger.py FileTrainLogger',
  }),
  line({
    start: String.raw`\b[Ee]poch: \d+, (?:.*? - )?lr: (?<learningRate>{})`,
    example: 'epoch: 1, lr: 5.00e-04 - train loss: 6.18',
    source: 'speechbrain/utils/train_logger.py FileTrainLogger',
  }),
  line({
    start: String.raw`Epoch loaded: (?<epoch>{}) - test (?:loss|[^:,]{1,40}): (?<loss>{})`,
    example: 'Epoch loaded: 20 - test loss: 3.47e-01, test CER: 3.81, test WER: 10.79',
    source: 'speechbrain/utils/train_logger.py FileTrainLogger',
  }),
];

/** WeNet, WeSpeaker and CosyVoice. */
export const wenetForms = [
  line({
    start: String.raw`\b(?:train|TRAIN) (?:\| )?Batch (?<epoch>{})/(?<step>{}) `,
    parts: {
      loss: String.raw`\bloss {}`,
      learningRate: String.raw`\blr {}`,
      gradNorm: String.raw`\bgrad_norm {}`,
      stepsPerSecond: String.raw`\bsteps/sec {}`,
    },
    example: 'TRAIN | Batch 0/100 loss 4.512 acc 0.1 lr 0.00010000 grad_norm 2.310000 rank 0 steps/sec 2.1',
    source: 'wenet/utils/train_utils.py log_per_step; CosyVoice cosyvoice/utils/train_utils.py',
  }),
];

export const soundForms = [...fairseqForms, ...espnetForms, ...speechbrainForms, ...wenetForms];
