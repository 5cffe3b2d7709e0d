import { isRecord } from '../../core/text/json';
import { boundedRead } from '../../files/bounded';
import { EmbedError } from '../errors';

/** Settings of the largest models have some MB, chat templates included. */
const MOST_BYTES = 64 * 1024 * 1024;

export type Fields = Readonly<Record<string, unknown>>;

/** A JSON file in a model's folder; null if it does not exist. */
export async function jsonAt(path: string): Promise<unknown> {
  const read = await boundedRead(path, MOST_BYTES).catch(() => null);
  if (read === null) return null;
  if ('why' in read) {
    const why = read.why === 'too-large' ? 'is too large for a model’s settings' : 'is not a regular file';
    throw new EmbedError('bad-model', `${path} ${why}; fetch the model again.`);
  }
  try {
    return JSON.parse(new TextDecoder().decode(read)) as unknown;
  } catch {
    throw new EmbedError('bad-model', `${path}: this is not JSON; fetch the model again.`);
  }
}

/** The same, where it has to hold an object; an empty one where there is no file. */
export async function fieldsAt(path: string): Promise<Fields> {
  const value = await jsonAt(path);
  if (value === null || isRecord(value)) return value ?? {};
  throw new EmbedError('bad-model', `${path}: this holds no object; fetch the model again.`);
}

export const numberIn = (fields: Fields, name: string): number | null => {
  const value = fields[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
};
