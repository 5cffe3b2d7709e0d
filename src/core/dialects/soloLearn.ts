import { builtIn } from './defined/compile';
import file from './soloLearn.yaml';
import type { Dialect } from './dialect';
import { hydraTree } from './engine/hydra/composer';
import { lightningWriters } from './lightningCli/writers';
import { autocastByPrecision, lightningDevices, lightningPrecision } from './shared/lightning';

const text = (value: unknown) => (typeof value === 'string' ? { ok: value } : null);

/** vturrisi/solo-learn 9187ea3: Hydra around a Lightning Trainer, whose arguments stand at the top. */
export const soloLearn: Dialect = builtIn(file, {
  quantities: {
    precision: { read: lightningPrecision },
    precisionRaw: { read: value => (typeof value === 'object' ? null : { ok: String(value) }) },
    devices: { read: lightningDevices },
    accelerator: { read: text },
    strategy: { read: text },
    imageSize: run => {
      const size = run.has('augmentations[0].crop_size') ? run.count('augmentations[0].crop_size') : null;
      return size === null
        ? run.unknown('The crops are in a file of augmentations that is not among these.')
        : run.at('augmentations[0].crop_size', [size, size]);
    },
  },
  details: {
    autocast: autocastByPrecision,
  },
  writers: lightningWriters(''),
  compose: hydraTree,
});
