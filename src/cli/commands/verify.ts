import { withSentences } from '../embed/load';
import { verified } from '../embed/verified';
import type { VerifyOptions } from '../embed/verified';

/** `headroom verify DIR`: count, shape, checksums, ids, finite, length 1. Exit code 1 when something is wrong. */
export const verify = (folder: string, options: VerifyOptions): Promise<void> =>
  withSentences(embedding => verified(embedding, folder, options));
