/** An object of JSON, whatever is in it. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** True for an object that is no list. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A JSON text's value; null when it is none. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** What lies below some keys; null where one is missing. */
export function valueAt(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>((at, key) => (isRecord(at) ? (at[key] ?? null) : null), value);
}

/** A finite number; null for everything else. */
export const numberIn = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

/** A text with something in it; null for everything else. */
export const textIn = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null;

/** A field by either of its spellings: the dashboard turns `memory_used` into `memoryUsed`, the agent does not. */
export function field(record: JsonRecord, name: string): unknown {
  const camel = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return record[camel] ?? record[name] ?? null;
}
