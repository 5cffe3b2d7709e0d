import { builtIn } from './defined/compile';
import file from './embeddings.yaml';
import type { Dialect } from './dialect';
import {
  SECTIONS,
  accelerator,
  batch,
  devices,
  loadDtype,
  model,
  precision,
  precisionRaw,
  seqLen,
  workers,
} from './embeddings/rules';
import { deviceMapAt } from './shared/deviceMap';
import { embeddingsWriters } from './embeddings/writers';

/**
 * Pipelines that embed texts with a local model: sentence-transformers 85ec645, txtai 20f818f, private-gpt ab89a0d
 * and similar. Excludes sections that use a provider over the network, whose batches need no GPU.
 */
export const embeddings: Dialect = builtIn(file, {
  quantities: {
    model,
    microBatchSize: batch,
    seqLen,
    precision,
    precisionRaw,
    loadDtype,
    devices,
    accelerator,
    numWorkers: workers,
  },
  details: {
    deviceMap: deviceMapAt(...SECTIONS.map(section => `${section}.model_kwargs.`), 'model_kwargs.'),
  },
  writers: embeddingsWriters,
});
