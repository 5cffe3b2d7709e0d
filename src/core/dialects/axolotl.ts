import { ARGV, ARGV_TEXT } from '../yaml/node';
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
  // Its flags only override a file: those of a command without one belong to another program.
  accepts: ({ tag }) => tag !== ARGV && tag !== ARGV_TEXT,
  quantities: { precision, loadDtype },
  details: { autocast, kernels, deviceMap: axolotlDeviceMap },
  writers: axolotlWriters,
  datasets: axolotlDatasets,
});
