import { builtIn } from './defined/compile';
import file from './hydra.yaml';
import type { Dialect } from './dialect';
import { word } from './engine/readers';
import { CLASSES } from './hydra/keys';
import {
  accelerator,
  devices,
  globalBatchSize,
  gradAccum,
  loadDtype,
  method,
  microBatchSize,
  nodes,
  precision,
  precisionRaw,
  strategy,
  task,
} from './hydra/rules';
import { packs } from './packs/registry';
import { withPacks } from './engine/packs';
import { hydraTree } from './engine/hydra/composer';
import { hydraWriters } from './hydra/writers';
import { autocastByPrecision } from './shared/lightning';
import { lightningSharding } from './shared/lightningStrategy';

const general: Dialect = builtIn(file, {
  classKeys: CLASSES,
  quantities: {
    ...lightningSharding('trainer.strategy', 'trainer.strategy'),
    model: { read: value => (typeof value === 'string' ? word(value) : null) },
    task,
    method,
    microBatchSize,
    globalBatchSize,
    gradAccum,
    precision,
    precisionRaw,
    loadDtype,
    optimizer: { read: value => (typeof value === 'string' ? word(value) : null) },
    devices,
    nodes,
    accelerator,
    strategy,
    compile: { read: value => (typeof value === 'boolean' ? { ok: value } : null) },
  },
  details: {
    autocast: autocastByPrecision,
  },
  writers: hydraWriters,
  compose: hydraTree,
});

/**
 * Projects that compose their config with Hydra, most of them around a Lightning Trainer; sources are files of
 * facebookresearch/hydra 1.3 and Lightning 2.6. What belongs to one project is in `packs`.
 */
export const hydra: Dialect = withPacks(general, packs);
