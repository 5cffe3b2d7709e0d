import { usual } from './profile';
import type { FrameworkProfile } from './profile';

/** Share that is not left free (models/globals.py, TGI_WIGGLE_ROOM). */
const WIGGLE_ROOM = 0.9;

/** After a warm-up pass it fills the share except for a tenth. */
export const tgi: FrameworkProfile<'tgi'> = {
  ...usual,
  id: 'tgi',
  makers: ['NVIDIA', 'AMD', 'Intel'],
  serving: {
    title: 'Text Generation Inference',
    source: 'text-generation-inference, server/models/flash_causal_lm.py, warmup; utils/import_utils.py',
    shareKey: 'cuda-memory-fraction',
    lengthKey: 'max-total-tokens',
    share: 1,
    prefillTokens: () => 4096,
    sequences: () => 128,
    block: 1,
    cacheBytes: ({ totalBytes, contextBytes, peakBytes }, share) =>
      share * WIGGLE_ROOM * totalBytes - peakBytes - contextBytes,
  },
};

/** A server in Rust: its process does not have Python's host RAM. */
export const tei: FrameworkProfile<'tei'> = { ...usual, id: 'tei', isPython: false };
