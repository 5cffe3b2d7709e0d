import type { YamlFile } from '../yaml/node';
import type { YamlPath } from '../yaml/path';
import type { Quantity } from './quantity';
import type { DetailName, DetailValues, QuantityName, QuantityValues } from './values';

export type Quantities = { readonly [Name in QuantityName]: Quantity<QuantityValues[Name]> };
export type Details = { readonly [Name in DetailName]?: Quantity<DetailValues[Name]> };

/** A framework as far as its behaviour is decided by it; `version: null` when nothing tells. */
export interface Framework {
  readonly name: string;
  readonly version: string | null;
  /** Other releases that matter, where they are known: `{ transformers: '4.48', torch: '2.4.1' }`. */
  readonly libraries?: Readonly<Record<string, string>>;
}

/** A file that a run was read from. */
export interface SourceFile {
  readonly path: string;
  readonly yaml: YamlFile;
  /** Which document of the file. */
  readonly document: number;
  /** Where the run's keys begin in it: [] for the root. */
  readonly base: YamlPath;
  /** Dialect whose words it speaks. */
  readonly dialect: string;
}

/** The canonical description of one run. */
export interface RunSpec {
  /** Tells several runs of one file apart: `01_stage`, `document 2`; '' when there is one. */
  readonly name: string;
  readonly dialect: string;
  readonly framework: Framework;
  readonly quantities: Quantities;
  readonly details: Details;
  /** The config first, then the files it names. */
  readonly sources: readonly SourceFile[];
}
