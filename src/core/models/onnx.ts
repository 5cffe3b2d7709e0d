/** Bytes of a file from a place on: as many as asked for, fewer at its end; null where it cannot be read. */
export type ReadBytes = (offset: number, length: number) => Promise<Uint8Array | null>;

/** Protobuf's wire types (protobuf.dev/programming-guides/encoding). */
const VARINT = 0;
const FIXED_64 = 1;
const DELIMITED = 2;
const FIXED_32 = 5;

/** Fields of onnx.proto: ModelProto.graph, GraphProto.initializer, TensorProto.dims. */
const GRAPH = 7;
const INITIALIZER = 5;
const DIMS = 1;

/** Names and shapes of an initialiser come before its data: of a large one no more than this is read. */
const WINDOW = 64 * 1024;
/** A graph of more parts than this is not a model's. */
const MOST_FIELDS = 2_000_000;

/** A place in a file that is read in windows: what is skipped is never read. */
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

  /** Beyond 2⁵³ it is no size, and the file none that is understood. */
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

  /** A field's number, and where its content begins and ends; null at the end or where nothing is understood. */
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
  /** Of a plain number. */
  readonly value: number | null;
  readonly end: number;
}

/**
 * Elements of all initialisers of an ONNX model: its parameters, whether their data is in the file or next to it. Null where
 * the file is not understood.
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

/** A tensor without dimensions is a number. */
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
