import { builtIn } from './defined/compile';
import file from './hydra.yaml';
import type { Dialect } from './dialect';
import { word } from './engine/readers';
import {
  CLASSES,
  accelerator,
  devices,
  gradAccum,
  loadDtype,
  method,
  nodes,
  precision,
  precisionRaw,
  strategy,
  task,
} from './hydra/rules';
import { hydraTree } from './engine/hydra/composer';
import { hydraWriters } from './hydra/writers';
import { lightningSharding } from './shared/lightningStrategy';

/**
 * Projects that compose their config with Hydra, usually around a Lightning Trainer; sources are files of
 * facebookresearch/hydra 1.3 and Lightning 2.6. Project-specific keys are in `packs`.
 */
export const hydra: Dialect = builtIn(file, {
  classKeys: CLASSES,
  quantities: {
    ...lightningSharding('trainer.strategy', 'trainer.strategy'),
    model: { read: value => (typeof value === 'string' ? word(value) : null) },
    task,
    method,
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
  writers: hydraWriters,
  compose: hydraTree,
});
