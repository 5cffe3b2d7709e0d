/** A JSON object with any content. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** True for an object that is not an array. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of a JSON text; null if it is invalid. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The value below a path of keys; null if one is missing. */
export function valueAt(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>((at, key) => (isRecord(at) ? (at[key] ?? null) : null), value);
}

/** A finite number; null otherwise. */
export const numberIn = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

/** A non-empty string; null otherwise. */
export const textIn = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null;

/** A field by either spelling: the dashboard converts `memory_used` to `memoryUsed`, the agent does not. */
export function field(record: JsonRecord, name: string): unknown {
  const camel = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return record[camel] ?? record[name] ?? null;
}
/** A value that JSON can hold. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json | undefined };
