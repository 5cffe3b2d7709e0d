import { builtIn } from './defined/compile';
import file from './ddspSvc.yaml';
import type { Dialect } from './dialect';
import { effectiveOfMicro } from './shared/toolkit';

const DTYPES: Readonly<Record<string, string>> = { fp32: 'fp32', fp16: 'fp16-mixed', bf16: 'bf16-mixed' };

/** DDSP-SVC's configs; sources are files of yxlllc/DDSP-SVC 88f157c. */
export const ddspSvc: Dialect = builtIn(file, {
  quantities: {
    effectiveBatch: effectiveOfMicro,
    precision: run => {
      const name = run.word('train.amp_dtype');
      if (name === null) return run.byDefault('fp32', 'reflow/solver.py: amp_dtype is fp32');
      const meaning = DTYPES[name];
      return meaning === undefined
        ? run.unknown(`train.amp_dtype: ${name} is none of fp32, fp16, bf16.`)
        : run.at('train.amp_dtype', meaning);
    },
  },
});
