import { builtIn } from './defined/compile';
import file from './simpleTuner.yaml';
import type { Dialect } from './dialect';
import {
  averagedWeights,
  checkpointSegments,
  fsdp,
  imageSize,
  loadDtype,
  lora,
  method,
  model,
  offload,
  precomputed,
  quantization,
  zeroStage,
} from './simpleTuner/rules';
import { simpleTunerWriters } from './simpleTuner/writers';
import { rawRow } from './shared/vision';

/** SimpleTuner's config.json; sources are files of bghira/SimpleTuner bc8e6ab (4.8). */
export const simpleTuner: Dialect = builtIn(file, {
  quantities: {
    model,
    method,
    lora,
    quantization,
    loadDtype,
    imageSize,
    precisionRaw: rawRow('mixed_precision', '--mixed_precision'),
    fsdp,
    offload,
    zeroStage,
  },
  details: { averagedWeights, checkpointSegments, precomputed },
  writers: simpleTunerWriters,
});
