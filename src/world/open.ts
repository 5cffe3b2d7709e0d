import { totalmem } from 'node:os';
import type { Target } from '../core/hardware/gpu';
import type { Files } from '../core/text/files';
import type { GpuSource } from '../core/hardware/match';
import type { World } from '../core/analyse/world';
import { Catalogs } from './catalogs';
import { Definitions } from './definitions';
import { Launchers } from './launchers';
import { nodeEnvironment } from './environment';
import { CountedLengths } from './lengths';
import { MeasuredRuns, userMeasurements } from './measurements';
import { Models } from './models';

/** This machine's knowledge: model facts over the given files, and the catalog of GPUs. */
interface OpenWorld extends World {
  readonly gpus: () => Promise<GpuSource>;
  readonly gpuNamed: (name: string) => Promise<Target | null>;
  readonly definitions: Definitions;
  readonly launchers: Launchers;
  readonly measurements: MeasuredRuns;
  readonly lengths: CountedLengths;
}

/** The catalog of GPUs alone. */
export const gpuCatalog = (data: string): Promise<GpuSource> => new Catalogs(data).gpus();

/**
 * The world of this process. `version` is Headroom's own; `data` is the folder of the generated catalogs; `top`
 * gives the folder at which the search for a config's launchers ends.
 */
export function openWorld(
  files: Files,
  data: string,
  top: (config: string) => string | null,
  version: string,
): OpenWorld {
  const catalogs = new Catalogs(data);
  return {
    files,
    models: new Models(files, catalogs, nodeEnvironment()),
    definitions: new Definitions(files),
    launchers: new Launchers(files, top),
    measurements: new MeasuredRuns(files, version, userMeasurements(nodeEnvironment())),
    lengths: new CountedLengths(files),
    networks: { stored: new Map() },
    hostMiB: Math.floor(totalmem() / 2 ** 20),
    gpus: () => catalogs.gpus(),
    gpuNamed: name => catalogs.gpuNamed(name),
  };
}
