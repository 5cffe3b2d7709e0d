import { readFile } from 'node:fs/promises';
import { EmbedError } from '../errors';

export type Fields = Readonly<Record<string, unknown>>;

/** A JSON file of a model's folder; null where there is none. */
export async function jsonAt(path: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch {
    return null;
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new EmbedError('bad-model', `${path}: this is not JSON; fetch the model again.`);
  }
}

/** The same, where it has to hold an object. */
export async function fieldsAt(path: string): Promise<Fields> {
  const value = await jsonAt(path);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export const numberIn = (fields: Fields, name: string): number | null => {
  const value = fields[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
};
