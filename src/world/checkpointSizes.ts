import { onnxParameters } from '../core/models/onnx';
import { LENGTH_BYTES, headerLength, shardsOf, sizesOf, addSizes } from '../core/models/safetensors';
import type { TensorSizes } from '../core/models/safetensors';
import type { Files } from '../core/text/files';

const SINGLE = 'model.safetensors';
const INDEX = 'model.safetensors.index.json';
const ONNX = ['model.onnx', 'onnx/model.onnx'];

/** A larger checkpoint has more files than an editor should open for one number. */
const MOST_SHARDS = 256;

/**
 * Parameters of the checkpoint in a folder, counted from the headers of its files; null if there is no readable
 * checkpoint. `note` receives every file that is requested.
 */
export async function checkpointParameters(
  files: Files,
  folder: string,
  note: (path: string) => void,
): Promise<number | null> {
  const names = await files.list(folder);
  const shards = names.includes(INDEX) ? await shardsIn(files, `${folder}/${INDEX}`, note) : [];
  const parts = shards.length > 0 ? shards : names.filter(name => name === SINGLE);
  const sizes = await Promise.all(
    parts.slice(0, MOST_SHARDS).map(name => sizesIn(files, `${folder}/${name}`, note)),
  );
  const known = sizes.filter(one => one !== null);
  if (known.length > 0 && known.length === parts.length) return addSizes(known).elements;
  return parts.length > 0 ? null : onnxIn(files, folder, note);
}

async function shardsIn(
  files: Files,
  path: string,
  note: (path: string) => void,
): Promise<readonly string[]> {
  note(path);
  const index = await files.read(path);
  return 'text' in index ? shardsOf(index.text) : [];
}

async function sizesIn(
  files: Files,
  path: string,
  note: (path: string) => void,
): Promise<TensorSizes | null> {
  note(path);
  const start = (await files.bytes?.(path, 0, LENGTH_BYTES)) ?? null;
  const length = start && headerLength(start);
  const header = length === null ? null : await files.bytes?.(path, LENGTH_BYTES, length);
  return header ? sizesOf(new TextDecoder().decode(header)) : null;
}

async function onnxIn(files: Files, folder: string, note: (path: string) => void): Promise<number | null> {
  for (const name of ONNX) {
    const path = `${folder}/${name}`;
    const parameters = await onnxParameters(
      async (at, length) => (await files.bytes?.(path, at, length)) ?? null,
    );
    if (parameters === null) continue;
    note(path);
    return parameters;
  }
  return null;
}
