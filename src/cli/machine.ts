import { openGpus } from '../gpu/open';
import type { Detection } from '../gpu/detect';

/** The GPUs of this machine, asked for once per call of the command line. */
export function detectHere(): Promise<Detection> {
  return openGpus({}).detect();
}
