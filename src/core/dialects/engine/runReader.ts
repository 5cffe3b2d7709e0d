import type { Quantity, Unit } from '../../spec/quantity';
import type { DetailName, DetailValues, QuantityName, QuantityValues } from '../../spec/values';
import type { Hit } from './layers';
import type { ValueReader } from './readers';
import type { Plain } from '../../yaml/scalars';

/**
 * What a dialect's rule may ask of the run it reads. A question about a key whose value cannot be known (`${…}`, a
 * template, text where a number belongs) ends the rule, and the quantity becomes unresolved with the reason: so a
 * rule is written as if everything it asks for were there.
 */
export interface RunReader {
  /** Another quantity or detail of the same run; rules may build on each other, but not in circles. */
  get<Name extends QuantityName>(name: Name): Quantity<QuantityValues[Name]>;
  detail<Name extends DetailName>(name: Name): Quantity<DetailValues[Name]>;

  /** True when a key is there with a value other than null. */
  has(key: string): boolean;
  /** True when a key is there and its value is null. */
  isNull(key: string): boolean;
  /**
   * The first of these keys whose null is a value to the program: OmegaConf keeps it in place of the default. Null where there is
   * none.
   */
  leftEmpty(keys: readonly string[]): string | null;
  /** Keys at the root of the config: names of profiles. */
  keys(): readonly string[];
  /** Every value of the composed config with the key that has it: for what is found by name and place. */
  leaves(): readonly Hit[];
  /** The tag of a mapping: `!name:torch.optim.Adam`. */
  tag(key: string): string | null;
  /** The value of a key; null when it is absent or null. */
  value(key: string): Plain;
  /** The value as a reader understands it; null when it is absent, null or another kind of value. */
  read<T>(key: string, reader: ValueReader<T>): T | null;
  word(key: string): string | null;
  flag(key: string): boolean | null;
  count(key: string): number | null;
  words(key: string): readonly string[] | null;

  /** The run of the part that a key names (DeepSpeed JSON, accelerate YAML); null when the key names none. */
  part(key: string): RunReader | null;

  /** True when the run's framework (or `library`) is at this release or a newer one. */
  atLeast(release: string, library?: string): boolean;
  /** Folders and name of the config without its ending, lowercase: where a dialect says the task by path. */
  readonly pathWords: readonly string[];

  /** An answer that the first of these keys that is there states. */
  at<T>(keys: string | readonly string[], value: T | null, note?: string): Quantity<T>;
  /** An answer that the framework gives when nothing is said. `source` tells where that was read. */
  byDefault<T>(value: T | null, source: string, note?: string): Quantity<T>;
  /** As byDefault, where that is nothing at all: not quantised, no LoRA, no sharding. */
  none(source: string): Quantity<never>;
  derived<T>(value: T | null, from: readonly string[], formula: string, note?: string): Quantity<T>;
  /** An answer that only the project's own program gives. */
  byCode<T>(value: T | null, source: string, note?: string): Quantity<T>;
  unknown(why: string): Quantity<never>;
  /** The same answer, counted in another unit. */
  inUnit<T>(unit: Unit, answer: Quantity<T>): Quantity<T>;
}
