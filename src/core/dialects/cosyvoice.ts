import { builtIn } from './defined/compile';
import file from './cosyvoice.yaml';
import type { Dialect } from './dialect';
import { effectiveOfMicro } from './shared/toolkit';
import { counted } from './shared/toolkit';

/** CosyVoice's recipes in HyperPyYAML; sources are files of FunAudioLLM/CosyVoice ace7c47. */
export const cosyvoice: Dialect = builtIn(file, {
  quantities: {
    model: run => {
      const name = /^!new:([\w.]+)$/.exec(run.tag('llm') ?? '')?.[1];
      return name === undefined ? run.unknown('No language model is named.') : run.at('llm', name);
    },
    microBatchSize: run => {
      if (run.word('batch.batch_type') === 'static') {
        return run.at('batch.batch_size', run.count('batch.batch_size'));
      }
      return (
        counted(run, 'batch.max_frames_in_batch', 'mel frames') ??
        run.unknown('No batch section states the most frames of a batch.')
      );
    },
    effectiveBatch: effectiveOfMicro,
    optimizer: run => {
      const name = run.word('train_conf.optim');
      return name === null ? run.unknown('train_conf.optim is not set.') : run.at('train_conf.optim', name);
    },
  },
});
