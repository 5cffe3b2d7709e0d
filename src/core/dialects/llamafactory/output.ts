import type { Launch } from '../dialect';
import type { LogLine } from '../../data/forms/line';

/** More than one visible GPU starts torchrun by itself; DeepSpeed needs it on one GPU, too. */
export const llamafactoryLaunch: readonly Launch[] = [
  {
    argv: ['llamafactory-cli', 'train', '{config}'],
    resume: ['llamafactory-cli', 'train', '{config}', 'overwrite_output_dir=false'],
    writes: ['output_dir'],
    source:
      'launcher.py L55-118; FORCE_TORCHRUN=1 for DeepSpeed on one GPU (hparams/parser.py L471); it goes on from what output_dir has unless that is overwritten',
  },
];

export const llamafactoryLogs: readonly LogLine[] = [
  {
    pattern: String.raw`\{'loss': '?(?<loss>[\d.e+-]+)'?, .*'learning_rate': '?(?<learningRate>[\d.e+-]+)'?, 'epoch': '?(?<epoch>[\d.]+)'?`,
    fields: ['loss', 'learningRate', 'epoch'],
    example: "{'loss': 1.2345, 'grad_norm': 0.81, 'learning_rate': 9.98e-05, 'epoch': 0.16}",
    source: 'transformers trainer_callback.py, PrinterCallback',
  },
  {
    pattern: String.raw`"current_steps": (?<step>\d+), "total_steps": (?<steps>\d+), "loss": (?<loss>[\d.e+-]+).*"percentage": (?<percent>[\d.]+)`,
    fields: ['step', 'steps', 'loss', 'percent'],
    example:
      '{"current_steps": 10, "total_steps": 186, "loss": 1.8345, "lr": 4.7e-05, "epoch": 0.16, "percentage": 5.38, "elapsed_time": "0:00:42", "remaining_time": "0:12:19"}',
    source: 'train/callbacks.py L268-301: trainer_log.jsonl in output_dir',
  },
  {
    pattern: String.raw`"vram_allocated": (?<allocatedGiB>[\d.]+), "vram_reserved": (?<reservedGiB>[\d.]+)`,
    fields: ['allocatedGiB', 'reservedGiB'],
    example: '"vram_allocated": 14.21, "vram_reserved": 16.05',
    source: 'train/callbacks.py, with RECORD_VRAM=1: GiB',
  },
];
