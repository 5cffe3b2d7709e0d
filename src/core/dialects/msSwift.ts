import { builtIn } from './defined/compile';
import file from './msSwift.yaml';
import type { Dialect } from './dialect';
import { msSwiftDatasets } from './msSwift/datasets';
import { deviceMap, gpus } from './msSwift/gpus';
import { frozenParts } from './msSwift/pictures';

/** ms-swift's YAML and JSON; sources are files of modelscope/ms-swift 3602360. */
export const msSwift: Dialect = builtIn(file, {
  quantities: { gpus },
  details: { deviceMap, frozenParts },
  datasets: msSwiftDatasets,
});
