import defaults from './configDefaults.json';

/** A parsed JSON object. */
export type Json = Readonly<Record<string, unknown>>;

const DEFAULTS: Readonly<Record<string, Json>> = defaults.types;

/** Above any model there is; a larger number is a mistake or an attack. */
const LARGEST = 2 ** 31;

/**
 * The values of one config.json: what the file states, else the transformers default of its model type. A value that
 * cannot be used is noted in `problems` and read as 0, so that one pass finds everything that is wrong.
 */
export class ConfigValues {
  readonly problems: string[] = [];
  private readonly defaults: Json;

  constructor(
    readonly stated: Json,
    modelType: string,
  ) {
    this.defaults = Object.hasOwn(DEFAULTS, modelType) ? (DEFAULTS[modelType] ?? {}) : {};
  }

  /** The first of some keys that the file has, else that has a default. Null where it is null or nowhere. */
  value(...keys: readonly string[]): unknown {
    for (const table of [this.stated, this.defaults]) {
      const key = keys.find(name => Object.hasOwn(table, name));
      if (key !== undefined) return table[key] ?? null;
    }
    return null;
  }

  /** A positive whole number that has to be there. */
  size(...keys: readonly string[]): number {
    const value = this.optionalSize(...keys);
    if (value === null) this.problems.push(`${keys[0] ?? ''} is missing`);
    return value ?? 0;
  }

  /** A positive whole number; null when it is not stated. */
  optionalSize(...keys: readonly string[]): number | null {
    const value = this.value(...keys);
    if (value === null) return null;
    if (typeof value === 'number' && Number.isInteger(value) && value > 0 && value < LARGEST) return value;
    this.problems.push(`${keys[0] ?? ''} is ${show(value)}, not a positive whole number`);
    return 0;
  }

  /** Whole numbers of which 0 is one: counts of experts, first dense layers. */
  count(...keys: readonly string[]): number {
    return this.value(...keys) === 0 ? 0 : (this.optionalSize(...keys) ?? 0);
  }

  flag(key: string): boolean {
    return this.value(key) === true;
  }

  /** A flag that no one may guess: it has to be stated or have a default. */
  decidedFlag(key: string): boolean {
    if (this.value(key) === null) this.problems.push(`${key} is missing`);
    return this.flag(key);
  }

  text(...keys: readonly string[]): string | null {
    const value = this.value(...keys);
    return typeof value === 'string' ? value : null;
  }

  list(key: string): readonly unknown[] {
    const value = this.value(key);
    return Array.isArray(value) ? value : [];
  }
}

function show(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
