import defaults from './configDefaults.json';

/** A parsed JSON object. */
export type Json = Readonly<Record<string, unknown>>;

const DEFAULTS: Readonly<Record<string, Json>> = defaults.types;

/** Larger than in any model; a larger number is a mistake or an attack. */
const LARGEST = 2 ** 31;

/**
 * The values of one config.json: from the file, else the transformers default of its model type. An unusable value
 * is noted in `problems` and read as 0, so that one pass finds all problems.
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

  /** The value of the first key that the file has, else of the first with a default; null if there is none. */
  value(...keys: readonly string[]): unknown {
    for (const table of [this.stated, this.defaults]) {
      const key = keys.find(name => Object.hasOwn(table, name));
      if (key !== undefined) return table[key] ?? null;
    }
    return null;
  }

  /** A required positive integer. */
  size(...keys: readonly string[]): number {
    const value = this.optionalSize(...keys);
    if (value === null) this.problems.push(`${keys[0] ?? ''} is missing`);
    return value ?? 0;
  }

  /** A positive integer; null if not stated. */
  optionalSize(...keys: readonly string[]): number | null {
    const value = this.value(...keys);
    if (value === null) return null;
    if (typeof value === 'number' && Number.isInteger(value) && value > 0 && value < LARGEST) return value;
    this.problems.push(`${keys[0] ?? ''} is ${show(value)}, not a positive whole number`);
    return 0;
  }

  /** A required non-negative integer: counts of experts, first dense layers. */
  count(...keys: readonly string[]): number {
    return this.value(...keys) === 0 ? 0 : (this.optionalSize(...keys) ?? 0);
  }

  flag(key: string): boolean {
    return this.value(key) === true;
  }

  /** A flag that must be stated or have a default. */
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
