import type { Bytes } from './estimate';

/** How far an amount may be off, as shares of it. */
export interface Spread {
  readonly below: number;
  readonly above: number;
}

/** The spread by metric. */
export interface Spreads {
  readonly allocated: Spread;
  readonly reserved: Spread;
  readonly device: Spread;
}

export function interval(expected: number, { below, above }: Spread): Bytes {
  return { low: expected * (1 - below), expected, high: expected * (1 + above) };
}

export function spreadOf(): Spreads {
  const spread = { below: 0.1, above: 0.1 };
  return { allocated: spread, reserved: spread, device: spread };
}
