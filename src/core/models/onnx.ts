/** Reads `length` bytes from an offset, fewer at the end of the file; null if it cannot be read. */
type ReadBytes = (offset: number, length: number) => Promise<Uint8Array | null>;

/** Protobuf's wire types (protobuf.dev/programming-guides/encoding). */
const VARINT = 0;
const FIXED_64 = 1;
const DELIMITED = 2;
const FIXED_32 = 5;

/** Fields of onnx.proto: ModelProto.graph, GraphProto.initializer, TensorProto.dims. */
const GRAPH = 7;
const INITIALIZER = 5;
const DIMS = 1;

/** An initializer's names and shapes come before its data: the most bytes that are read of a large one. */
const WINDOW = 64 * 1024;
/** More fields than any real model has. */
const MOST_FIELDS = 2_000_000;

/** A file position that reads in windows and never reads skipped content. */
class Cursor {
  private window: Uint8Array = new Uint8Array(0);
  private from = 0;
  private fields = 0;

  constructor(
    private readonly read: ReadBytes,
    public at = 0,
  ) {}

  /** The next byte; null at the end. */
  async byte(): Promise<number | null> {
    if (this.at < this.from || this.at >= this.from + this.window.length) {
      this.window = (await this.read(this.at, WINDOW)) ?? new Uint8Array(0);
      this.from = this.at;
      if (this.window.length === 0) return null;
    }
    return this.window[this.at++ - this.from] ?? null;
  }

  /** Null beyond 2⁵³: not a size, so the file is not understood. */
  async varint(): Promise<number | null> {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = await this.byte();
      if (byte === null) return null;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    return null;
  }

  /** A field's number and the range of its content; null at the end or if the field is not understood. */
  async field(): Promise<Field | null> {
    const key = this.fields++ < MOST_FIELDS ? await this.varint() : null;
    if (key === null) return null;
    const number = Math.floor(key / 8);
    switch (key % 8) {
      case VARINT:
        return { number, value: await this.varint(), end: this.at };
      case FIXED_64:
        return { number, value: null, end: this.at + 8 };
      case FIXED_32:
        return { number, value: null, end: this.at + 4 };
      case DELIMITED: {
        const length = await this.varint();
        return length === null ? null : { number, value: null, end: this.at + length };
      }
      default:
        return null;
    }
  }
}

interface Field {
  readonly number: number;
  /** The value of a numeric field. */
  readonly value: number | null;
  readonly end: number;
}

/**
 * Number of elements in all initializers of an ONNX model, which are its parameters; their data may be in other
 * files. Null if the file is not understood.
 */
export async function onnxParameters(read: ReadBytes): Promise<number | null> {
  const cursor = new Cursor(read);
  let elements: number | null = null;
  for (let field = await cursor.field(); field !== null; field = await cursor.field()) {
    if (field.number === GRAPH) elements = (elements ?? 0) + (await graph(cursor, field.end));
    cursor.at = field.end;
  }
  return elements !== null && Number.isSafeInteger(elements) ? elements : null;
}

async function graph(cursor: Cursor, end: number): Promise<number> {
  let elements = 0;
  while (cursor.at < end) {
    const field = await cursor.field();
    if (field === null) break;
    if (field.number === INITIALIZER) elements += await initializer(cursor, field.end);
    cursor.at = field.end;
  }
  return elements;
}

/** A tensor without dimensions is a scalar. */
async function initializer(cursor: Cursor, end: number): Promise<number> {
  let elements = 1;
  while (cursor.at < end) {
    const field = await cursor.field();
    if (field === null) break;
    if (field.number === DIMS) elements *= field.value ?? (await packed(cursor, field.end));
    cursor.at = field.end;
  }
  return elements;
}

async function packed(cursor: Cursor, end: number): Promise<number> {
  let product = 1;
  while (cursor.at < end) product *= (await cursor.varint()) ?? 0;
  return product;
}
