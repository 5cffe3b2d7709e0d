import { builtIn } from './defined/compile';
import file from './liif.yaml';
import type { Dialect } from './dialect';
import { pixels, shareOf, writesGlobal } from './shared/vision';

/** LIIF; sources are lines of yinboc/liif 4c833f8. */
export const liif: Dialect = builtIn(file, {
  quantities: {
    microBatchSize: shareOf,
    imageSize: { read: pixels('hw') },
  },
  writers: writesGlobal('train_dataset.batch_size'),
});
