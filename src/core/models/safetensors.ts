/** Tensor sizes from the header of a safetensors file. */
export interface TensorSizes {
  /** Elements of all tensors. */
  readonly elements: number;
  readonly bytes: number;
  /** The most common dtype by elements, as the format names it: `BF16`, `F32`, `U8`. */
  readonly dtype: string | null;
}

/** The first eight bytes hold the header's length, little-endian (huggingface/safetensors README, Format). */
export const LENGTH_BYTES = 8;

/** The format's limit (safetensors/src/tensor.rs, MAX_HEADER_SIZE). */
const LONGEST_HEADER = 100_000_000;

/** The length of the header that follows; null if these are not the first bytes of a safetensors file. */
export function headerLength(start: Uint8Array): number | null {
  if (start.length < LENGTH_BYTES) return null;
  const length = new DataView(start.buffer, start.byteOffset, LENGTH_BYTES).getBigUint64(0, true);
  return length >= 2n && length <= BigInt(LONGEST_HEADER) ? Number(length) : null;
}

interface Entry {
  readonly dtype?: unknown;
  readonly shape?: unknown;
  readonly data_offsets?: unknown;
}

const METADATA = '__metadata__';

/** Sizes from a header's JSON; null if it is invalid. */
export function sizesOf(header: string): TensorSizes | null {
  const table = parsed(header);
  if (table === null) return null;
  const byDtype = new Map<string, number>();
  let bytes = 0;
  for (const [name, entry] of Object.entries(table)) {
    if (name === METADATA) continue;
    const tensor = typeof entry === 'object' && entry !== null ? tensorOf(entry) : null;
    if (tensor === null) return null;
    byDtype.set(tensor.dtype, (byDtype.get(tensor.dtype) ?? 0) + tensor.elements);
    bytes += tensor.bytes;
  }
  return { elements: sum([...byDtype.values()]), bytes, dtype: mostOf(byDtype) };
}

/** Sizes of several files together. */
export function addSizes(all: readonly TensorSizes[]): TensorSizes {
  const byDtype = new Map<string, number>();
  for (const { dtype, elements } of all) {
    if (dtype !== null) byDtype.set(dtype, (byDtype.get(dtype) ?? 0) + elements);
  }
  return {
    elements: sum(all.map(({ elements }) => elements)),
    bytes: sum(all.map(({ bytes }) => bytes)),
    dtype: mostOf(byDtype),
  };
}

/** The files that `model.safetensors.index.json` names, sorted; may be empty. */
export function shardsOf(index: string): readonly string[] {
  const map = parsed(index)?.['weight_map'];
  if (typeof map !== 'object' || map === null) return [];
  const names = Object.values(map).filter(name => typeof name === 'string' && /^[\w.-]+$/.test(name));
  return [...new Set(names as string[])].sort();
}

function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null;
  } catch {
    return null;
  }
}

function tensorOf({ dtype, shape, data_offsets: offsets }: Entry) {
  const sizes = numbers(shape);
  const [from, to] = numbers(offsets) ?? [];
  if (typeof dtype !== 'string' || sizes === null || from === undefined || to === undefined) return null;
  return { dtype, elements: sizes.reduce((product, size) => product * size, 1), bytes: to - from };
}

function numbers(value: unknown): readonly number[] | null {
  const isSize = (one: unknown): one is number =>
    typeof one === 'number' && Number.isSafeInteger(one) && one >= 0;
  return Array.isArray(value) && value.every(isSize) ? value : null;
}

const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0);

function mostOf(byDtype: ReadonlyMap<string, number>): string | null {
  return [...byDtype].reduce<readonly [string | null, number]>(
    (most, one) => (one[1] > most[1] ? one : most),
    [null, -1],
  )[0];
}
