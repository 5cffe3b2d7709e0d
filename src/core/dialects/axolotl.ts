import file from './axolotl.yaml';
import { axolotlDatasets } from './axolotl/datasets';
import { kernels } from './axolotl/kernels';
import { autocast, loadDtype, precision } from './axolotl/precision';
import { axolotlWriters } from './axolotl/writers';
import { builtIn } from './defined/compile';
import type { Dialect } from './dialect';
import { axolotlDeviceMap } from './shared/deviceMap';

/**
 * Axolotl YAML; sources are files of axolotl-ai-cloud/axolotl 067b021, below src/axolotl/utils unless stated
 * otherwise.
 */
export const axolotl: Dialect = builtIn(file, {
  quantities: { precision, loadDtype },
  details: { autocast, kernels, deviceMap: axolotlDeviceMap },
  writers: axolotlWriters,
  datasets: axolotlDatasets,
});
