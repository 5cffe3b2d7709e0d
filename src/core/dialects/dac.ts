import { builtIn } from './defined/compile';
import file from './dac.yaml';
import type { Dialect } from './dialect';
import { ampFlag, effectiveOfShared, rawFlag, shareOfBatch } from './shared/toolkit';

/** Descript's audio codec, whose keys are argbind's with dots in them; sources are files of descriptinc/descript-audio-codec c7cfc5d. */
export const dac: Dialect = builtIn(file, {
  quantities: {
    microBatchSize: shareOfBatch,
    effectiveBatch: effectiveOfShared,
    precision: ampFlag('amp', 'scripts/train.py: amp is False'),
    precisionRaw: rawFlag('amp'),
    evalBatchSize: run => {
      const total = run.count('val_batch_size');
      return total === null
        ? run.unknown('val_batch_size is not set.')
        : run.unknown(`${total} over all GPUs, whose number is not in the files.`);
    },
  },
  writers: { microBatchSize: () => ({ ok: false, why: 'batch_size counts what all GPUs share.' }) },
});
