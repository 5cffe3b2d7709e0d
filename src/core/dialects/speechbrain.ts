import { builtIn } from './defined/compile';
import file from './speechbrain.yaml';
import type { Dialect } from './dialect';
import { effectiveOfMicro } from './shared/toolkit';
import {
  evalBatch,
  freezes,
  microBatch,
  model,
  optimizer,
  precision,
  precisionRaw,
  task,
} from './speechbrain/rules';
import { speechbrainWriters } from './speechbrain/writers';

/** SpeechBrain's hyperparameter files; sources are files of speechbrain/speechbrain 9c826ef (1.0). */
export const speechbrain: Dialect = builtIn(file, {
  quantities: {
    model,
    task,
    method: freezes,
    microBatchSize: microBatch,
    evalBatchSize: evalBatch,
    effectiveBatch: effectiveOfMicro,
    precision,
    precisionRaw,
    optimizer,
  },
  details: {
    autocast: run =>
      run.derived(
        run.get('precision').value?.endsWith('-mixed') ?? false,
        ['precision'],
        'torch.autocast in fit_batch',
      ),
  },
  writers: speechbrainWriters,
});
