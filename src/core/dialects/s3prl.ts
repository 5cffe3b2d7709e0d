import { builtIn } from './defined/compile';
import file from './s3prl.yaml';
import type { Dialect } from './dialect';
import { ampFlag, rawFlag } from './shared/toolkit';

/** s3prl's runner configs; sources are files of s3prl/s3prl ec8064b. */
export const s3prl: Dialect = builtIn(file, {
  quantities: {
    task: run =>
      run.has('pretrain_expert')
        ? run.derived('pretraining', ['pretrain_expert'], 'what pretrains an upstream')
        : run.unknown('-d of the command line names the downstream task.'),
    // s3prl/run_downstream.py: the upstream is frozen unless -f is given.
    method: run =>
      run.has('pretrain_expert')
        ? run.byCode('full', 's3prl/run_pretrain.py')
        : run.byDefault('freeze', 's3prl/run_downstream.py: -f trains the upstream too'),
    precision: ampFlag('runner.fp16', 's3prl/pretrain/runner.py: fp16 is off'),
    precisionRaw: rawFlag('runner.fp16'),
    optimizer: {
      read: value => (typeof value === 'string' ? { ok: value.replace(/_with_schedule$/, '') } : null),
    },
  },
});
