import type { LogLine } from '../../data/forms/line';

/** The line of torchvision's and DETR's MetricLogger, which many projects carry along; `max mem` is in MiB. */
export const metricLogger = (source: string): LogLine => ({
  pattern: String.raw`\[\s*(?<step>\d+)/(?<steps>\d+)\]\s+eta: .*?loss: (?<loss>[\d.]+).*?time: (?<secondsPerStep>[\d.]+).*?max mem: (?<allocatedMiB>\d+)`,
  fields: ['step', 'steps', 'loss', 'secondsPerStep', 'allocatedMiB'],
  example:
    'Epoch: [0]  [  100/14786]  eta: 2:01:15  lr: 0.000010  loss: 34.1 (36.2)  time: 0.45  data: 0.01  max mem: 8345',
  source,
});
