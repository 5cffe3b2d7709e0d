import { builtIn } from './defined/compile';
import file from './yacsXdecoder.yaml';
import type { Dialect } from './dialect';
import { autocastByPrecision } from './shared/lightning';
import { ampRow, pixels, rawRow, shareOf, writesGlobal } from './shared/vision';

/** X-Decoder and SEEM; sources are files of microsoft/X-Decoder 165f8a6. */
export const yacsXdecoder: Dialect = builtIn(file, {
  quantities: {
    microBatchSize: shareOf,
    imageSize: { read: pixels('hw') },
    precision: ampRow('FP16', false, 'trainer/default_trainer.py'),
    precisionRaw: rawRow('FP16'),
  },
  details: {
    autocast: autocastByPrecision,
  },
  writers: writesGlobal('TRAIN.BATCH_SIZE_TOTAL'),
});
