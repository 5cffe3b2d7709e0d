import { builtIn } from './defined/compile';
import file from './speechbrain.yaml';
import type { Dialect } from './dialect';
import { effectiveOfMicro } from './shared/toolkit';
import { evalBatch, microBatch, model, optimizer } from './speechbrain/rules';

/** SpeechBrain's hyperparameter files; sources are files of speechbrain/speechbrain 9c826ef (1.0). */
export const speechbrain: Dialect = builtIn(file, {
  quantities: {
    model,
    microBatchSize: microBatch,
    evalBatchSize: evalBatch,
    effectiveBatch: effectiveOfMicro,
    optimizer,
  },
});
