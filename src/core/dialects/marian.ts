import { builtIn } from './defined/compile';
import file from './marian.yaml';
import type { Dialect } from './dialect';
import { counted, deviceList } from './shared/toolkit';
import { effectiveOfShared, shareOfBatch } from './shared/toolkit';

/** Marian's configs, whose keys are its command line's; sources are marian-nmt/marian-examples 6c40475 and marian --help. */
export const marian: Dialect = builtIn(file, {
  quantities: {
    globalBatchSize: run => {
      if (run.flag('mini-batch-fit')) {
        return run.unknown('mini-batch-fit: batches are made as large as the workspace takes.');
      }
      const words = counted(run, 'mini-batch-words', 'tokens');
      if (words) return words;
      return (
        counted(run, 'mini-batch', 'sentences') ??
        run.inUnit('sentences', run.byDefault(64, 'marian --help: --mini-batch is 64'))
      );
    },
    microBatchSize: shareOfBatch,
    effectiveBatch: effectiveOfShared,
    precision: run => {
      if (run.flag('fp16')) return run.at('fp16', 'fp16-mixed');
      const first = run.words('precision')?.[0]?.split(' ')[0];
      if (first !== undefined) return run.at('precision', first === 'float16' ? 'fp16-mixed' : 'fp32');
      return run.byDefault('fp32', 'marian --help: --precision is float32 float32');
    },
    devices: { read: deviceList },
  },
  writers: {
    microBatchSize: () => ({ ok: false, why: 'Batches count what all GPUs share, or fill the workspace.' }),
  },
});
