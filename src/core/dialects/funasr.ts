import { builtIn } from './defined/compile';
import file from './funasr.yaml';
import type { Dialect } from './dialect';
import { counted, effectiveOfMicro } from './shared/toolkit';

/** FunASR's training configs; sources are files of modelscope/FunASR 3c58cb5. */
export const funasr: Dialect = builtIn(file, {
  quantities: {
    task: run =>
      run.byCode(/kws/i.test(run.word('model') ?? '') ? 'keyword_spotting' : 'asr', 'funasr/bin/train_ds.py'),
    microBatchSize: run => {
      const key = 'dataset_conf.batch_size';
      const type = run.word('dataset_conf.batch_type') ?? 'example';
      if (type === 'example') return run.at(key, run.count(key));
      return counted(run, key, type === 'token' ? 'tokens' : 'frames') ?? run.unknown(`${key} is not set.`);
    },
    effectiveBatch: effectiveOfMicro,
    precision: run => {
      if (run.flag('train_conf.use_bf16')) return run.at('train_conf.use_bf16', 'bf16-mixed');
      if (run.flag('train_conf.use_fp16')) return run.at('train_conf.use_fp16', 'fp16-mixed');
      return run.byDefault('fp32', 'funasr/train_utils/trainer_ds.py: use_fp16, use_bf16');
    },
  },
});
