import { EmbedError } from '../errors';
import type { Weights } from './weights';

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
export function safetensorsWeights(file: Uint8Array, named: string): (name: string) => Weights {
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
