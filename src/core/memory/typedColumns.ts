/** One number of a column; there is one wherever somebody looks. */
export const realAt = (column: Float64Array, at: number): number => column[at] ?? 0;

export const indexAt = (column: Int32Array, at: number): number => column[at] ?? 0;

/** A wider column with the same beginning. */
export function widened<T extends Float64Array | Int32Array | Uint8Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
