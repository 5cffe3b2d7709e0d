import { openGpus } from '../gpu/open';
import type { Detection } from '../gpu/detect';

/** The GPUs of this machine, detected once per CLI call. */
export function detectHere(): Promise<Detection> {
  return openGpus({}).detect();
}
