import { readGgufHeader } from '../core/models/ggufHeader';
import type { GgufHeader } from '../core/models/ggufHeader';
import type { Files } from '../core/text/files';
import { dirname } from '../core/text/paths';

/** Most headers fit; a tokenizer's words may take up to the last. */
const READS = [2 ** 20, 2 ** 24, 2 ** 27];

/** `model-00001-of-00003.gguf`: one model in several files. */
const PART = /-(\d{5})-of-(\d{5})\.gguf$/i;
const MOST_PARTS = 256;

/** Headers of a GGUF file and of the files that go with it; null if one of them is missing or is none. */
export async function ggufHeaders(
  files: Files,
  path: string,
  note: (path: string) => void,
): Promise<readonly GgufHeader[] | null> {
  const headers = await Promise.all(partsOf(path).map(part => headerOf(files, part, note)));
  const known = headers.filter(header => header !== null);
  return known.length === headers.length ? known : null;
}

function partsOf(path: string): readonly string[] {
  const parts = Number(PART.exec(path)?.[2] ?? 1);
  if (parts < 2 || parts > MOST_PARTS) return [path];
  const name = path.slice(dirname(path).length).replace(PART, '');
  const total = String(parts).padStart(5, '0');
  return Array.from({ length: parts }, (_, i) => {
    return `${dirname(path)}${name}-${String(i + 1).padStart(5, '0')}-of-${total}.gguf`;
  });
}

async function headerOf(
  files: Files,
  path: string,
  note: (path: string) => void,
): Promise<GgufHeader | null> {
  note(path);
  for (const length of READS) {
    const bytes = (await files.bytes?.(path, 0, length)) ?? null;
    if (bytes === null) return null;
    const reading = readGgufHeader(bytes);
    if (reading === 'invalid' || (reading === 'short' && bytes.length < length)) return null;
    if (reading !== 'short') return reading;
  }
  return null;
}
