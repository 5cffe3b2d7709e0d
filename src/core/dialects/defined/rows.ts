import format from './dialect.format';
import type { RowKind } from './words';

/** A row of a dialect file: the kind of its values, and a description for users. */
export interface RowName {
  readonly kind: RowKind;
  readonly text: string;
}

/** Rows for quantities, and for settings that together form one (`lora.r`). */
export const quantityRows: Readonly<Record<string, RowName>> = format.quantities;

/** Rows for details, which only the memory model needs. */
export const detailRows: Readonly<Record<string, RowName>> = format.details;

const all: Readonly<Record<string, RowName>> = { ...quantityRows, ...detailRows };

export const rowNames: readonly string[] = Object.keys(all);

/** The description of a row; null if there is no such row. */
export const rowNamed = (name: string): RowName | null =>
  Object.hasOwn(all, name) ? (all[name] ?? null) : null;
