import type { Quantity } from '../spec/quantity';

/** The key a quantity is written as, or its canonical name when no file says it. */
export function sourceKey(name: string, quantity: Quantity<unknown>): string {
  const { origin } = quantity;
  return origin.kind === 'file' || origin.kind === 'referenced' ? origin.at.path : name;
}
