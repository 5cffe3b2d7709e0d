import type { MeasuredRates } from '../core/hardware/measuredRates';
import { numberIn, textIn } from '../core/text/json';
import { AnswerReader, fieldsOf } from './answers';
import type { Fields } from './answers';

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
export class CalibrationReader extends AnswerReader {
  found: Calibrated | null = null;

  protected override take(kind: string, fields: Fields): void {
    if (kind === 'calibrated') this.found = calibratedOf(fields);
  }
}

function calibratedOf(fields: Fields): Calibrated | null {
  const { half, fp32 } = fieldsOf(fields['flops'], numberIn);
  const [gpu, bytesPerSecond] = [textIn(fields['gpu']), numberIn(fields['bytesPerSecond'])];
  if (gpu === null || !half || !fp32 || !bytesPerSecond) return null;
  return { gpu, flops: { half, fp32 }, bytesPerSecond, steady: numberIn(fields['steady']) ?? 0 };
}
