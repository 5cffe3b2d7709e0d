import type { Quantity, Unit } from '../../spec/quantity';
import type { DetailName, DetailValues, QuantityName, QuantityValues } from '../../spec/values';
import type { Hit } from './layers';
import type { ValueReader } from './readers';
import type { Plain } from '../../yaml/scalars';

/**
 * The interface of a run for a dialect's rules. Reading a key with an unknown value (`${…}`, a template, text
 * instead of a number) aborts the rule, and the quantity becomes unresolved with the reason. Rules can therefore
 * assume that all values are there.
 */
export interface RunReader {
  /** Another quantity or detail of the same run; rules may depend on each other, but not in cycles. */
  get<Name extends QuantityName>(name: Name): Quantity<QuantityValues[Name]>;
  detail<Name extends DetailName>(name: Name): Quantity<DetailValues[Name]>;

  /** True if a key is present and not null. */
  has(key: string): boolean;
  /** True if a key is present and null. */
  isNull(key: string): boolean;
  /**
   * The first of these keys whose null is a value to the program: OmegaConf keeps it in place of the default. Null where there is
   * none.
   */
  leftEmpty(keys: readonly string[]): string | null;
  /** Unknown if what only the program knows, such as a whole object of arguments, might state one of the keys. */
  leftOpen(keys: readonly string[]): Quantity<never> | null;
  /** Keys at the root of the config: names of profiles. */
  keys(): readonly string[];
  /** Every value of the composed config with the key that has it: for what is found by name and place. */
  leaves(): readonly Hit[];
  /** Those of keys that the dialect does not have. */
  unreadLeaves(): readonly Hit[];
  /** The tag of a mapping: `!name:torch.optim.Adam`. */
  tag(key: string): string | null;
  /** The value of a key; null if it is absent or null. */
  value(key: string): Plain;
  /** The value as a reader parses it; null if it is absent, null or another kind of value. */
  read<T>(key: string, reader: ValueReader<T>): T | null;
  word(key: string): string | null;
  flag(key: string): boolean | null;
  count(key: string): number | null;
  words(key: string): readonly string[] | null;
  /** What `read` reads, or `open` if that is known only when the run starts: the rest of an answer holds without it. */
  unlessOpen<T, Open>(read: () => T, open: Open): T | Open;

  /** The run of the part that a key names (DeepSpeed JSON, accelerate YAML); null if it names none. */
  part(key: string): RunReader | null;

  /** True if the run's framework (or `library`) has this release or a newer one. */
  atLeast(release: string, library?: string): boolean;
  /** Folders and name of the config in lower case without extension, for dialects that tell the task by path. */
  readonly pathWords: readonly string[];

  /** An answer stated by the first of these keys that is present. */
  at<T>(keys: string | readonly string[], value: T | null, note?: string): Quantity<T>;
  /** The framework's default. `source` says where it was found. */
  byDefault<T>(value: T | null, source: string, note?: string): Quantity<T>;
  /** Like byDefault, for "none": not quantized, no LoRA, no sharding. */
  none(source: string): Quantity<never>;
  derived<T>(value: T | null, from: readonly string[], formula: string, note?: string): Quantity<T>;
  /** An answer that only the project's own program determines. */
  byCode<T>(value: T | null, source: string, note?: string): Quantity<T>;
  unknown(why: string): Quantity<never>;
  /** The same answer in another unit. */
  inUnit<T>(unit: Unit, answer: Quantity<T>): Quantity<T>;
}
