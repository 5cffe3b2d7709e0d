import { builtIn } from './defined/compile';
import file from './wenet.yaml';
import type { Dialect } from './dialect';
import { counted, effectiveOfMicro, encoderDecoder } from './shared/toolkit';

const BATCH = 'dataset_conf.batch_conf';

/** WeNet's training configs; sources are files of wenet-e2e/wenet 0154699. */
export const wenet: Dialect = builtIn(file, {
  quantities: {
    model: encoderDecoder,
    microBatchSize: run => {
      const type = run.word(`${BATCH}.batch_type`) ?? 'static';
      if (type !== 'dynamic') return run.at(`${BATCH}.batch_size`, run.count(`${BATCH}.batch_size`));
      const frames = counted(run, `${BATCH}.max_frames_in_batch`, 'frames');
      return (
        frames ?? run.inUnit('frames', run.byDefault(12_000, 'wenet/dataset/dataset.py: max_frames_in_batch'))
      );
    },
    effectiveBatch: effectiveOfMicro,
    gradientCheckpointing: run => {
      const key = 'encoder_conf.gradient_checkpointing';
      return run.has(key)
        ? run.at(key, run.flag(key))
        : run.unknown('encoder_conf.gradient_checkpointing is not set.');
    },
  },
  writers: {
    microBatchSize: (to, run) =>
      run.word(`${BATCH}.batch_type`) === 'dynamic'
        ? { ok: false, why: 'Batches are dynamic: max_frames_in_batch decides, in frames.' }
        : { ok: true, writes: [{ key: `${BATCH}.batch_size`, value: to }] },
    precision: () => ({ ok: false, why: '--dtype and --use_amp of the command line decide it.' }),
  },
});
