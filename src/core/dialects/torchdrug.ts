import { builtIn } from './defined/compile';
import file from './torchdrug.yaml';
import type { Dialect } from './dialect';
import { deviceList, effectiveOfMicro } from './shared/toolkit';

/** TorchDrug's configs, as GearNet has them; sources are files of DeepGraphLearning/GearNet 28bf75f. */
export const torchdrug: Dialect = builtIn(file, {
  quantities: {
    effectiveBatch: effectiveOfMicro,
    devices: { read: deviceList },
  },
});
