import { PbfReader } from 'pbf';

/** A field of a protobuf message: a number, or bytes. */
interface ProtoField {
  readonly tag: number;
  readonly number: number;
  readonly bytes: Uint8Array | null;
}

const NOTHING = new Uint8Array(0);
/** protobuf's wire types. */
const [VARINT, DOUBLE, BYTES, FLOAT] = [0, 1, 2, 5];

/** The fields of a protobuf message, in order, without a schema; what is broken ends the list. */
export function protoFields(message: Uint8Array): readonly ProtoField[] {
  const found: ProtoField[] = [];
  const field = (tag: number, _: null, pbf: PbfReader): void => {
    const { type } = pbf;
    if (type === BYTES) found.push({ tag, number: Number.NaN, bytes: pbf.readBytes() });
    else if (type === VARINT) found.push({ tag, number: pbf.readVarint(), bytes: null });
    else if (type === DOUBLE) found.push({ tag, number: pbf.readDouble(), bytes: null });
    else if (type === FLOAT) found.push({ tag, number: pbf.readFloat(), bytes: null });
  };
  try {
    new PbfReader(message).readFields(field, null);
  } catch {
    // A broken message: what came before counts.
  }
  return found;
}

/** Bytes of a message's field; empty if it is not there. */
export function bytesIn(message: Uint8Array, tag: number): Uint8Array {
  for (const one of protoFields(message)) if (one.tag === tag && one.bytes) return one.bytes;
  return NOTHING;
}

/** A number of a message's field; null if it is not there. */
export function numberOfField(message: Uint8Array, tag: number): number | null {
  for (const one of protoFields(message)) if (one.tag === tag && !one.bytes) return one.number;
  return null;
}

/** Bytes of a character's first byte, by its leading bits. */
const lengthOf = (byte: number): number => (byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4);

/** UTF-8 as text; core has no decoder of its own. Broken bytes become replacement characters. */
export function textOf(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length;) {
    const first = bytes[at] ?? 0;
    const length = lengthOf(first);
    let code = length === 1 ? first : first & (0xff >> (length + 1));
    for (const next of bytes.subarray(at + 1, at + length)) code = code * 64 + (next & 0x3f);
    parts.push(code > 0x10_ff_ff || (first & 0xc0) === 0x80 ? '\ufffd' : String.fromCodePoint(code));
    at += length;
  }
  return parts.join('');
}

/**
 * The records of a TFRecord file (TensorFlow, lib/io/record_writer.cc): length, its checksum, data, their checksum. A truncated
 * record ends them; checksums are not verified.
 */
export function* tfRecords(bytes: Uint8Array): Generator<Uint8Array> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + 12 <= bytes.length;) {
    const length = view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32;
    const start = at + 12;
    if (start + length + 4 > bytes.length) return;
    yield bytes.subarray(start, start + length);
    at = start + length + 4;
  }
}

const BLOCK = 32_768;
const HEADER = 7;
const [FULL, FIRST, LAST] = [1, 2, 4];
/** No record of a run that states memory is longer. */
const LONGEST_RECORD = 4 * 2 ** 20;

/** The records of a `.wandb` file: LevelDB's log format behind a header of 7 bytes (wandb, sdk/internal/datastore.py). */
export function* wandbRecords(bytes: Uint8Array): Generator<Uint8Array> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (textOf(bytes.subarray(0, 4)) !== ':W&B') return;
  let parts: Uint8Array[] = [];
  let total = 0;
  for (let at = HEADER; at + HEADER <= bytes.length;) {
    const left = BLOCK - (at % BLOCK);
    if (left < HEADER) {
      at += left;
      continue;
    }
    const length = view.getUint16(at + 4, true);
    const kind = view.getUint8(at + 6);
    const data = bytes.subarray(at + HEADER, at + HEADER + length);
    if (kind < FULL || kind > LAST || data.length < length) return;
    if (kind === FULL || kind === FIRST) [parts, total] = [[], 0];
    total += length;
    if (total <= LONGEST_RECORD) parts.push(data);
    if ((kind === FULL || kind === LAST) && total <= LONGEST_RECORD) yield together(parts, total);
    at += HEADER + length;
  }
}

function together(parts: readonly Uint8Array[], total: number): Uint8Array {
  const [only] = parts;
  if (only && parts.length === 1) return only;
  const whole = new Uint8Array(total);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
