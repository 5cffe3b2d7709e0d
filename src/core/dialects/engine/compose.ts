import type { Location } from '../../spec/quantity';
import type { Launched } from '../../spec/runSpec';
import type { YamlDocument, YamlFile } from '../../yaml/node';
import type { Program } from '../dialect';
import type { Note } from './note';

/** A document that takes part in a run. */
export interface Layer {
  readonly path: string;
  readonly yaml: YamlFile;
  readonly document: number;
  /** Where its keys appear in the composed config, '' at its root; null for the config itself. */
  readonly mount: string | null;
}

/** A file of a run that is not there: what it would have said is not known. */
export interface Gap {
  /** Where its keys would have appeared; '' at the root. */
  readonly mount: string;
  /** Key and place that name it. */
  readonly key: string;
  readonly at: Location;
  readonly why: string;
}

/** One run of a config: the config first, then what is laid over it, topmost last. */
export interface Composition {
  readonly name: string;
  readonly layers: readonly [Layer, ...Layer[]];
  /** The dialect that the layers are written in, where not the one of the document: what an envelope starts. */
  readonly dialect?: string;
  readonly launched?: Launched;
  /** What the config itself is laid over, lowest first: its bases. */
  readonly beneath?: readonly Layer[];
  readonly gaps?: readonly Gap[];
  /** What is wrong with how the files hang together. */
  readonly notes?: readonly Note[];
}

/** A program, and the dialect of what it is given. */
export interface DialectProgram {
  readonly dialect: string;
  readonly program: Program;
}

/** The files around a config, as a composer sees them. */
export interface Neighbourhood {
  /** Null when it is not there or not readable. */
  read(path: string): Promise<YamlFile | null>;
  /** Names in a folder, sorted. */
  list(folder: string): Promise<readonly string[]>;
  /** Which dialect a document is in; null for a stranger. */
  dialectOf?(document: YamlDocument): string | null;
  /** Programs that take several configs, or arguments that are one. */
  readonly programs?: readonly DialectProgram[];
}

/** Finds the runs that a recognised document belongs to. */
export type Composer = (opened: Layer, files: Neighbourhood) => Promise<readonly Composition[]>;

/** A document that is one run by itself. */
export const alone = (opened: Layer, name = ''): Composition => ({
  name,
  layers: [{ ...opened, mount: null }],
});
