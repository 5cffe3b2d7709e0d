import { builtIn } from './defined/compile';
import file from './wespeaker.yaml';
import type { Dialect } from './dialect';
import { ampFlag, deviceList, effectiveOfMicro, rawFlag } from './shared/toolkit';

/** WeSpeaker's training configs; sources are files of wenet-e2e/wespeaker dfa7419. */
export const wespeaker: Dialect = builtIn(file, {
  quantities: {
    effectiveBatch: effectiveOfMicro,
    precision: ampFlag('enable_amp', 'wespeaker/bin/train.py: enable_amp is False'),
    precisionRaw: rawFlag('enable_amp'),
    // bin/train.py L52: the local rank picks the GPU of this list.
    devices: { read: deviceList },
  },
});
