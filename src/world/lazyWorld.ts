import type { Measurement } from '../core/learn/measurement';
import type { Files } from '../core/text/files';
import type { GpuSource } from '../core/hardware/match';
import type { World } from '../core/analyse/world';
import { dirname } from '../core/text/paths';
import type { Launchers } from './launchers';
import type { OpenWorld } from './open';

/** The world of a window. The chunk behind it loads when someone first asks for more than files. */
export interface LazyWorld extends World {
  /** The catalog of GPUs. */
  gpus(): Promise<GpuSource>;
  /** Adds a measurement to `file`; null: to the user's own. */
  keepMeasurement(measurement: Measurement, file: string | null): Promise<void>;
  /** A file changed that may start a config. False: no launcher was ever searched for, so no answer changes. */
  forgetLaunchers(file: string): boolean;
  /** Dialects of the workspace changed. */
  forgetDefinitions(): Promise<void>;
  /** Measurements or counts of lengths changed. */
  forgetMeasured(): Promise<void>;
}

/** `open` is called again after it failed, and its first success is kept by the caller. */
export function lazyWorld(files: Files, open: () => Promise<OpenWorld>): LazyWorld {
  let searched: Launchers | null = null;
  return {
    files,
    models: {
      find: async (model, from) => (await open()).models.find(model, from),
      similar: async model => (await (await open()).models.similar?.(model)) ?? [],
    },
    gpuNamed: async name => (await open()).gpuNamed(name),
    launchers: { of: async config => (searched = (await open()).launchers).of(config) },
    measurements: { near: async file => (await open()).measurements.near(file) },
    lengths: { near: async file => (await open()).lengths.near(file) },
    definitions: { near: async file => (await open()).definitions.near(file) },
    gpus: async () => (await open()).gpus(),
    keepMeasurement: async (measurement, file) => (await open()).measurements.keep(measurement, file),
    forgetLaunchers(file) {
      searched?.forget(dirname(file));
      return searched !== null;
    },
    forgetDefinitions: async () => (await open()).definitions.forget(),
    async forgetMeasured() {
      const { measurements, lengths } = await open();
      measurements.forget();
      lengths.forget();
    },
  };
}
