/** Space for the header at the start of a file: the shape is known only after the last row. */
export const HEADER_BYTES = 256;

const NPY_MAGIC = Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0]);

/** NumPy's header, version 1.0 (numpy/lib/format.py): a length, a Python dictionary, spaces, a line feed. */
export function npyHeader(rows: number, dimensions: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES, ' ');
  NPY_MAGIC.copy(header);
  header.writeUInt16LE(HEADER_BYTES - NPY_MAGIC.length - 2, NPY_MAGIC.length);
  header.write(
    `{'descr': '<f4', 'fortran_order': False, 'shape': (${rows}, ${dimensions}), }`,
    NPY_MAGIC.length + 2,
  );
  header.write('\n', HEADER_BYTES - 1);
  return header;
}

const LENGTH_BYTES = 8;

/**
 * The header of safetensors (huggingface/safetensors, Format): a length, JSON, spaces. The tensor is named
 * `embeddings`.
 */
export function safetensorsHeader(rows: number, dimensions: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES, ' ');
  header.writeBigUInt64LE(BigInt(HEADER_BYTES - LENGTH_BYTES));
  const data_offsets = [0, rows * dimensions * 4];
  header.write(
    JSON.stringify({ embeddings: { dtype: 'F32', shape: [rows, dimensions], data_offsets } }),
    LENGTH_BYTES,
  );
  return header;
}

/** Where a file's vectors start, and how many there are. */
interface Shape {
  readonly dataAt: number;
  readonly rows: number;
  readonly dimensions: number;
}

/** The shape in an `.npy` file of single-precision vectors; null for any other file. */
export function npyShape(start: Buffer): Shape | null {
  if (start.length < 12 || !start.subarray(0, 6).equals(NPY_MAGIC.subarray(0, 6))) return null;
  const dataAt = NPY_MAGIC.length + 2 + start.readUInt16LE(NPY_MAGIC.length);
  const text = start.toString('latin1', NPY_MAGIC.length + 2, dataAt);
  const shape = /'shape': \((\d+), (\d+)\)/.exec(text);
  if (!shape || !text.includes("'descr': '<f4'") || !text.includes("'fortran_order': False")) return null;
  return { dataAt, rows: Number(shape[1]), dimensions: Number(shape[2]) };
}

/** The same for a safetensors file. */
export function safetensorsShape(start: Buffer): Shape | null {
  if (start.length < LENGTH_BYTES) return null;
  const length = Number(start.readBigUInt64LE());
  try {
    const text = start.toString('utf8', LENGTH_BYTES, LENGTH_BYTES + length);
    const { embeddings } = JSON.parse(text) as { embeddings?: { dtype?: string; shape?: number[] } };
    const [rows, dimensions] = embeddings?.shape ?? [];
    if (embeddings?.dtype !== 'F32' || rows === undefined || dimensions === undefined) return null;
    return { dataAt: LENGTH_BYTES + length, rows, dimensions };
  } catch {
    return null;
  }
}
