import { BLOCK_TYPES } from './ggmlTypes';

/** One tensor of a GGUF file. */
export interface GgufTensor {
  readonly name: string;
  readonly dimensions: readonly number[];
  readonly bytes: number;
}

/** A value of a GGUF file's metadata. Long lists and lists of texts are only counted. */
type GgufValue = number | string | boolean | readonly number[] | { readonly count: number };

/** What stands before the weights in a GGUF file. */
export interface GgufHeader {
  readonly values: ReadonlyMap<string, GgufValue>;
  readonly tensors: readonly GgufTensor[];
}

/** `short`: the header goes on after these bytes; `invalid`: this is no GGUF file, or one of a type not known. */
type GgufReading = GgufHeader | 'short' | 'invalid';

const MAGIC = 0x46_55_47_47;
const VERSIONS = [2, 3];
/** Bytes of the metadata's number types by their id (ggml/include/gguf.h, enum gguf_type). */
const NUMBER_BYTES: Readonly<Record<number, number>> = {
  0: 1,
  1: 1,
  2: 2,
  3: 2,
  4: 4,
  5: 4,
  6: 4,
  7: 1,
  10: 8,
  11: 8,
  12: 8,
};
const TEXT = 8;
const LIST = 9;
/** Per-layer lists are kept; lists of a tokenizer's words are not. */
const LONGEST_LIST = 4096;
const LONGEST_TEXT = 1024;
/** A file with more is damaged. */
const MOST = 1_000_000;
const MOST_DIMENSIONS = 4;

class Short extends Error {}
class Invalid extends Error {}

class Cursor {
  private at = 0;
  private readonly view: DataView;

  constructor(private readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  private take(length: number): number {
    const from = this.at;
    if (from + length > this.bytes.length) throw new Short();
    this.at += length;
    return from;
  }

  u32(): number {
    return this.view.getUint32(this.take(4), true);
  }

  u64(): number {
    const value = Number(this.view.getBigUint64(this.take(8), true));
    if (!Number.isSafeInteger(value)) throw new Invalid();
    return value;
  }

  /** Names are ASCII; long texts, such as chat templates, are cut. */
  text(): string {
    const length = this.u64();
    const from = this.take(length);
    return String.fromCharCode(...this.bytes.subarray(from, Math.min(this.at, from + LONGEST_TEXT)));
  }

  skip(length: number): void {
    this.take(length);
  }

  number(type: number): number {
    const at = this.take(NUMBER_BYTES[type] ?? 0);
    if (type === 6) return this.view.getFloat32(at, true);
    if (type === 12) return this.view.getFloat64(at, true);
    const [first, size] = [this.view.getUint8(at), NUMBER_BYTES[type]];
    if (size === 1) return first;
    if (size === 2) return this.view.getUint16(at, true);
    if (size === 4) return type === 5 ? this.view.getInt32(at, true) : this.view.getUint32(at, true);
    return Number(this.view.getBigInt64(at, true));
  }

  value(type: number): GgufValue {
    if (type === TEXT) return this.text();
    if (type === LIST) return this.list();
    if (NUMBER_BYTES[type] === undefined) throw new Invalid();
    const value = this.number(type);
    return type === 7 ? value !== 0 : value;
  }

  private list(): GgufValue {
    const [type, count] = [this.u32(), this.u64()];
    const size = NUMBER_BYTES[type];
    if (size !== undefined && count <= LONGEST_LIST) {
      return Array.from({ length: count }, () => this.number(type));
    }
    if (size !== undefined) this.skip(size * count);
    else if (type === TEXT) for (let i = 0; i < count; i += 1) this.skip(this.u64());
    else throw new Invalid();
    return { count };
  }

  tensor(): GgufTensor {
    const name = this.text();
    const rank = this.u32();
    if (rank > MOST_DIMENSIONS) throw new Invalid();
    const dimensions = Array.from({ length: rank }, () => this.u64());
    const type = TYPES.get(this.u32());
    this.skip(8);
    if (type === undefined) throw new Invalid();
    const elements = dimensions.reduce((product, size) => product * size, 1);
    return { name, dimensions, bytes: (elements / type.elements) * type.bytes };
  }
}

const TYPES = new Map<number, { readonly elements: number; readonly bytes: number }>(
  Object.values(BLOCK_TYPES).map(type => [type.id, type]),
);

/** The header in the first bytes of a GGUF file (ggml/docs/gguf.md, versions 2 and 3, little-endian). */
export function readGgufHeader(bytes: Uint8Array): GgufReading {
  try {
    return headerIn(new Cursor(bytes));
  } catch (error) {
    if (error instanceof Short) return 'short';
    if (error instanceof Invalid) return 'invalid';
    throw error;
  }
}

function headerIn(cursor: Cursor): GgufHeader {
  if (cursor.u32() !== MAGIC || !VERSIONS.includes(cursor.u32())) throw new Invalid();
  const [tensors, values] = [cursor.u64(), cursor.u64()];
  if (tensors > MOST || values > MOST) throw new Invalid();
  const pairs = Array.from({ length: values }, (): [string, GgufValue] => [
    cursor.text(),
    cursor.value(cursor.u32()),
  ]);
  return { values: new Map(pairs), tensors: Array.from({ length: tensors }, () => cursor.tensor()) };
}
