import { builtIn } from './defined/compile';
import file from './f5Tts.yaml';
import type { Dialect } from './dialect';
import { counted, effectiveOfMicro } from './shared/toolkit';

const TRAINER = 'src/f5_tts/model/trainer.py';

/** F5-TTS' Hydra configs; sources are files of SWivid/F5-TTS 2ae2c9b. */
export const f5Tts: Dialect = builtIn(file, {
  quantities: {
    microBatchSize: run => {
      const key = 'datasets.batch_size_per_gpu';
      const unit = (run.word('datasets.batch_size_type') ?? 'sample') === 'frame' ? 'mel frames' : 'samples';
      return counted(run, key, unit) ?? run.unknown(`${key} is not set.`);
    },
    effectiveBatch: effectiveOfMicro,
    optimizer: run =>
      run.flag('optim.bnb_optimizer')
        ? run.at('optim.bnb_optimizer', 'bitsandbytes.optim.AdamW8bit')
        : run.byDefault('AdamW', `${TRAINER}: AdamW unless bnb_optimizer`),
  },
});
