import type { MeasuredRates } from '../core/hardware/measuredRates';
import { numberIn, textIn } from '../core/text/json';
import { answerOf, failureOf, fieldsOf, refusalOf } from './answers';
import type { Fields, ProfileError } from './answers';

/** The request to `src/python` for a calibration; `device`: a file with a device other than CUDA's, relative to it. */
export const calibrationRequest = (device: string | null): object => ({
  protocol: 1,
  task: 'calibrate',
  device,
});

/** What a calibration found. */
export interface Calibrated extends Pick<MeasuredRates, 'flops' | 'bytesPerSecond'> {
  /** The GPU as torch names it. */
  readonly gpu: string;
  /** The slowest of its later rates over the fastest, 0 to 1: other work makes it small. */
  readonly steady: number;
}

/** Reads a calibration's messages among other output. */
export class CalibrationReader {
  found: Calibrated | null = null;
  problem: ProfileError | null = null;
  private rest = '';

  constructor(private readonly progress: (text: string) => void) {}

  push(text: string): void {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) this.take(answerOf(line));
  }

  private take({ kind, ...fields }: Fields): void {
    if (kind === 'progress' && typeof fields['text'] === 'string') this.progress(fields['text']);
    else if (kind === 'calibrated') this.found = calibratedOf(fields);
    else if (kind === 'refused') this.problem ??= refusalOf(fields);
    else if (kind === 'failed') this.problem ??= failureOf(fields);
  }
}

function calibratedOf(fields: Fields): Calibrated | null {
  const { half, fp32 } = fieldsOf(fields['flops'], numberIn);
  const [gpu, bytesPerSecond] = [textIn(fields['gpu']), numberIn(fields['bytesPerSecond'])];
  if (gpu === null || !half || !fp32 || !bytesPerSecond) return null;
  return { gpu, flops: { half, fp32 }, bytesPerSecond, steady: numberIn(fields['steady']) ?? 0 };
}
