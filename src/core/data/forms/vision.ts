import { line } from './line';

/** MMEngine (`Epoch(train) [1][50/100]`, `Iter(train) [50/100]`) and MMCV before it (`Epoch [1][50/100]`, `Iter [50/100]`). */
const openMmlabForms = [
  line({
    start: String.raw`\{(?="mode": "train"|.*?"data_time": .*?"memory":)`,
    parts: {
      epoch: '"epoch": {}',
      step: '"iter": {}',
      learningRate: '"lr": {}',
      secondsPerStep: '"time": {}',
      loss: '"loss": {}',
      gradNorm: '"grad_norm": {}',
      memory: '"memory": {}',
    },
    memory: { memory: { what: 'memory', unit: 'MiB' } },
    example:
      '{"mode": "train", "epoch": 1, "iter": 50, "lr": 1e-05, "memory": 9810, "data_time": 1.93, "loss_cls": 1.27, "loss": 2.13622, "grad_norm": 1.5, "time": 2.63489}',
    source: 'mmcv runner/hooks/logger/text.py; mmengine visualization/vis_backend.py',
  }),
  line({
    start: String.raw`\b(?:Epoch(?:\(train\))?\s+\[(?<epoch>{})\]|Iter(?:\(train\))?\s+)\[\s*(?<step>{})/(?<steps>{})\]\s`,
    parts: {
      learningRate: String.raw`(?<!\w)lr: {}`,
      eta: 'eta: {t}',
      secondsPerStep: String.raw`(?<!\w)time: {}`,
      loss: String.raw`(?<!\w)loss: {}`,
      gradNorm: String.raw`grad_norm: {}`,
      tokensPerSecond: 'tokens_per_sec: {}',
      memory: 'memory: {}',
    },
    memory: { memory: { what: 'memory', unit: 'MiB' } },
    example:
      'Epoch(train) [1][   50/30895]  base_lr: 7.9760e-05 lr: 7.9760e-05  eta: 2 days, 7:32:05  time: 1.0788  data_time: 0.0849  memory: 15079  grad_norm: 12.1  loss: 859.5978  loss_heatmap: 836.5007  tokens_per_sec: 1012.8',
    source: 'mmengine logging/log_processor.py; mmcv runner/hooks/logger/text.py; XTuner adds tokens',
  }),
];

/** Detectron2 and what is built on it. */
const detectron2Forms = [
  line({
    start: String.raw`(?:\beta: (?<eta>(?:\d+ days?, )?\d+:\d\d:\d\d)\s+)?\biter: (?<step>{})\s`,
    parts: {
      loss: 'total_loss: {}',
      secondsPerStep: String.raw`(?<!data_)time: {}`,
      learningRate: String.raw`\slr: {}`,
      memory: 'max_mem: {}M',
    },
    memory: { memory: { what: 'max_mem', unit: 'MiB' } },
    example:
      '[d2.utils.events]:  eta: 1 day, 11:14:26  iter: 679  total_loss: 1.709  loss_cls: 0.36  time: 0.6119  data_time: 0.1153  lr: 0.00033966  max_mem: 18496M',
    source: 'detectron2/utils/events.py CommonMetricPrinter',
  }),
];

/** Detectron, before its second version. */
const detectronForms = [
  line({
    start: String.raw`\{(?=.*?['"]eta['"]:)(?=.*?['"]iter['"]:)(?=.*?['"]loss['"]:)`,
    parts: {
      secondsPerStep: String.raw`['"]time['"]:\s*{}`,
      memory: String.raw`['"]mem['"]:\s*{}`,
    },
    memory: { memory: { what: 'mem', unit: 'MiB' } },
    example:
      'json_stats: {"eta": "1 day, 13:30:44", "iter": 120000, "loss": 0.562384, "lr": 0.010000, "mb_qsize": 64, "mem": 6407, "time": 0.562685}',
    source: 'detectron/utils/training_stats.py GetStats',
  }),
];

/** The MetricLogger of torchvision, DETR, DINO, MAE, Swin … */
const metricLoggerForms = [
  line({
    start: String.raw`(?:Epoch: \[(?<epoch>{})\]|\bTrain\w*:? ?\S*?)\s+\[\s*(?<step>{})/(?<steps>{})\](?=\s+(?:eta|lr|\w{0,10}loss): )(?:\s+eta: (?<eta>(?:\d+ days?, )?\d+:\d\d:\d\d))?`,
    parts: {
      learningRate: String.raw`\slr: {}`,
      loss: String.raw`\s(?:total_|c)?loss: {}`,
      gradNorm: String.raw`(?<!\w)grad_norm: {}`,
      secondsPerStep: String.raw`\stime: {}`,
      samplesPerSecond: String.raw`\simg/s: {}`,
      memory: 'max mem: {}',
    },
    memory: { memory: { what: 'max mem', unit: 'MiB' } },
    example:
      'Epoch: [0]  [  100/14786]  eta: 2:01:15  lr: 0.000010  img/s: 16.27  loss: 34.1 (36.2)  grad_norm: 1.2 (1.3)  time: 0.45  data: 0.01  max mem: 8345',
    source: 'torchvision references/detection/utils.py MetricLogger',
  }),
  line({
    start: String.raw`Train: \[(?<epoch>{})/\d+\]\[(?<step>{})/(?<steps>{})\]\s+eta (?<eta>(?:\d+ days?, )?\d+:\d\d:\d\d)`,
    parts: {
      learningRate: String.raw`\slr {}`,
      secondsPerStep: String.raw`\stime {}`,
      loss: String.raw`\sloss {}`,
      gradNorm: String.raw`\sgrad_norm {}`,
      memory: String.raw`\smem {}MB`,
    },
    memory: { memory: { what: 'mem', unit: 'MiB' } },
    example:
      'Train: [0/300][10/1251]	eta 0:31:55 lr 0.000001	 wd 0.0500	time 1.5431 (1.5431)	loss 6.9511 (6.9511)	grad_norm 1.3 (1.3)	loss_scale 65536.0 (65536.0)	mem 11728MB',
    source: 'microsoft/Swin-Transformer main.py train_one_epoch',
  }),
];

/** Ultralytics: the bar counts the batches of an epoch; the run's steps are its epochs. */
export const ultralyticsForms = [
  line({
    start: String.raw`^\s*(?=(?<epoch>{})/)(?<step>{})/(?<steps>{})\s+(?<memory>[\d.]+[MG])\s`,
    parts: { stepsPerSecond: String.raw`\d{1,3}%.*? {}it/s`, secondsPerStep: String.raw`\d{1,3}%.*? {}s/it` },
    memory: { memory: { what: 'GPU_mem', unit: 'stated' } },
    example:
      '    176/300      5.64G      1.564     0.8106       0.85        162        640: 100%|██████████| 1618/1618 [05:16<00:00,  5.11it/s] 2.0s/it',
    source: 'ultralytics engine/trainer.py progress_string',
  }),
];

const timmForms = [
  line({
    start: String.raw`Train: (?<epoch>{}) \[\s*(?<step>{})/(?<steps>{}) `,
    parts: {
      loss: String.raw`Loss:\s+{}`,
      secondsPerStep: String.raw`Time: {}s`,
      samplesPerSecond: String.raw`Time: [\d.]+s,\s+{}/s`,
      learningRate: 'LR: {}',
    },
    example:
      'Train: 0 [  50/10009 (  0%)]  Loss:  6.927876 (6.9180)  Time: 1.462s,   87.53/s  (1.896s,   67.51/s)  LR: 1.000e-06  Data: 0.026 (0.199)',
    source: 'timm train.py train_one_epoch',
  }),
];

/** Keras: bars of heavy lines (3), of arrows before. */
const kerasForms = [
  line({
    start: String.raw`^\s*(?<step>{})/(?<steps>{}) (?:━+|\[[=>.]{1,40}\])`,
    parts: {
      millisecondsPerStep: String.raw`\s{}ms/step`,
      microsecondsPerStep: String.raw`\s{}us/step`,
      secondsPerStep: String.raw`\s{}s/step`,
      eta: 'ETA: {t}',
      loss: String.raw`- loss: {}`,
    },
    example:
      '469/469 ━━━━━━━━━━━━━━━━━━━━ - ETA: 2s 4ms/step 2s/step 823us/step - accuracy: 0.8737 - loss: 0.4401',
    source: 'keras src/utils/progbar.py',
  }),
];

/** PaddleDetection and PaddleSeg count epochs and steps in brackets. */
const paddleForms = [
  line({
    start: String.raw`Epoch: \[(?<epoch>{})\] \[\s*(?<step>{})/(?<steps>{})\]`,
    parts: {
      learningRate: 'learning_rate: {}',
      loss: String.raw`\s(?:total_|c)?loss: {}`,
      eta: 'eta: {t}',
      secondsPerStep: 'batch_cost: {}',
      samplesPerSecond: 'ips: {}',
    },
    example:
      'Epoch: [0] [  20/7329] learning_rate: 0.000133 loss: 3.0112 loss_xy: 0.9 eta: 1 day, 2:13:14 batch_cost: 0.4801 data_cost: 0.0003 ips: 16.6630 images/s',
    source: 'PaddleDetection ppdet/engine/callbacks.py LogPrinter',
  }),
];

/** YOLOX, and the example for ImageNet that half of vision began with. */
const otherForms = [
  line({
    start: String.raw`\bepoch: (?<epoch>{})/\d+, iter: (?<step>{})/(?<steps>{}),`,
    parts: {
      memory: String.raw`\bmem: {}Mb`,
      secondsPerStep: 'iter_time: {}s',
      loss: 'total_loss: {}',
      learningRate: String.raw`(?<!\w)lr: {}`,
      eta: 'ETA: {t}',
    },
    memory: { memory: { what: 'mem', unit: 'MiB' } },
    example:
      'epoch: 1/300, iter: 10/1849, mem: 5120Mb, iter_time: 0.312s, data_time: 0.001s, total_loss: 12.3, iou_loss: 4.1, lr: 1.0e-03, size: 640, ETA: 1 day, 2:03:04',
    source: 'Megvii-BaseDetection/YOLOX yolox/core/trainer.py after_iter',
  }),
  line({
    start: String.raw`\bEpoch: \[(?<epoch>{})\]\[\s*(?<step>{})/(?<steps>{})\](?:\s+Time\s+(?<secondsPerStep>{}))?\s`,
    parts: { loss: String.raw`\sLoss\s+{}` },
    example:
      'Epoch: [0][  10/5005]	Time  0.312 ( 0.914)	Data  0.001 ( 0.411)	Loss 6.9e+00 (7.0e+00)	Acc@1   0.00 (  0.10)',
    source: 'pytorch/examples imagenet/main.py ProgressMeter',
  }),
];

const yolactForms = [
  line({
    start: String.raw`\[\s*(?<epoch>{})\]\s+(?<step>{}) \|\|(?=.*\| T: )`,
    parts: {
      loss: String.raw`\| T: {}`,
      eta: String.raw`ETA: {t}`,
      secondsPerStep: 'timer: {}',
    },
    example:
      '[  0]     630 || B: 3.308 | C: 2.604 | M: 4.506 | S: 0.904 | T: 11.322 || ETA: 2 days, 4:12:57 || timer: 1.271',
    source: 'yolact train.py',
  }),
];

const darknetForms = [
  line({
    start: String.raw`^ ?(?<step>{}): [\d.]+, (?<loss>{}) avg(?: loss)?, (?<learningRate>{}) rate, (?<secondsPerStep>{}) seconds, \d+ images`,
    parts: { eta: String.raw`, (?<eta>[\d.]+ hours) left` },
    example: ' 1000: 1.234567, 1.345678 avg loss, 0.001000 rate, 3.456789 seconds, 64000 images, 12.3 hours left',
    source: 'darknet src/detector.c',
  }),
];

export const visionForms = [
  ...openMmlabForms,
  ...detectron2Forms,
  ...metricLoggerForms,
  ...ultralyticsForms,
  ...timmForms,
  ...detectronForms,
  ...kerasForms,
  ...paddleForms,
  ...darknetForms,
  ...yolactForms,
  ...otherForms,
];
