import type { Plain } from '../../yaml/scalars';
import torchtune from './torchtune.json';

type Keys = Readonly<Record<string, Plain>>;

/** Configs that a framework has by name: paths of keys, and values. */
interface ShippedTable {
  readonly framework: string;
  readonly version: string;
  /** Where its configs are in the framework, and how their files end. */
  readonly folder: string;
  readonly ending: string;
  /** What a config has that does not say otherwise. */
  readonly shared: Keys;
  /** Null: the config lacks a shared key. */
  readonly configs: Readonly<Record<string, Keys>>;
}

/** The tables, by the name that `program.shipped` of a dialect has for them. */
export const tables: Readonly<Record<string, ShippedTable>> = { torchtune };
