import type { YamlFile } from '../../yaml/node';

/** A document that takes part in a run. */
export interface Layer {
  readonly path: string;
  readonly yaml: YamlFile;
  readonly document: number;
  /** Where its keys appear in the composed config; null for the config itself. */
  readonly mount: string | null;
}

/** One run of a config: the config first, then what is laid over it, topmost last. */
export interface Composition {
  readonly name: string;
  readonly layers: readonly [Layer, ...Layer[]];
}

/** The files around a config, as a composer sees them. */
export interface Neighbourhood {
  /** Null when it is not there or not readable. */
  read(path: string): Promise<YamlFile | null>;
  /** Names in a folder, sorted. */
  list(folder: string): Promise<readonly string[]>;
}

/** Finds the runs that a recognised document belongs to. */
export type Composer = (opened: Layer, files: Neighbourhood) => Promise<readonly Composition[]>;

/** A document that is one run by itself. */
export const alone = (opened: Layer, name = ''): Composition => ({
  name,
  layers: [{ ...opened, mount: null }],
});
