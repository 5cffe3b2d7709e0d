/**
 * Values as nvidia-smi prints them: `111.50 W`, `26.3`, `P2`, `[N/A]`, `[Unknown Error]`, `ERR!`. The words for "no number"
 * differ by driver and field (telemetry notes list eleven); anything that is not a number is null, with its text kept.
 */

const NUMBER = /^(-?\d+(?:\.\d+)?)(?:\s*(?:MiB|MHz|W|C|%|us|ms|s|KiB|GiB))?$/;
const PLACEHOLDER =
  /^(?:\[.*\]|n\/a|not (?:supported|available.*|found)|unknown error|err!?|-|insufficient permissions|requested functionality has been deprecated|)$/i;

/** The number of a cell; null when it is none. */
export function numberOf(text: string): number | null {
  const found = NUMBER.exec(text.trim());
  return found ? Number(found[1]) : null;
}

/** The words of a cell; null when they stand for "nothing". */
export function textOf(text: string): string | null {
  const trimmed = text.trim();
  return PLACEHOLDER.test(trimmed) ? null : trimmed;
}

export function integerOf(text: string): number | null {
  const value = numberOf(text);
  return value !== null && Number.isInteger(value) ? value : null;
}
