import type { Measure } from '../sample';

/** A number with a unit next to it or none; anything else (a comma as decimal sign, words) is no number. */
const AMOUNT = /^([+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d{1,2})?)\s*([^\d\s.,+-][^\d\s,]*)?$/i;

interface Kind {
  /** What a unit (lower case, '' for none) is worth; a unit that is not here is another quantity. */
  readonly units: Readonly<Record<string, number>>;
  /** What no such reading can be beyond: text that was mangled, a counter in place of a value. */
  readonly from: number;
  readonly to: number;
}

const KIB = 1 / 1024;
const KINDS = {
  Pct: { units: { '': 1, '%': 1 }, from: 0, to: 1000 },
  C: { units: { '': 1, c: 1, '°c': 1 }, from: -80, to: 200 },
  W: { units: { '': 1, w: 1, mw: 1e-3 }, from: 0, to: 100_000 },
  MHz: { units: { '': 1, mhz: 1, ghz: 1000 }, from: 0, to: 100_000 },
  Rpm: { units: { '': 1, rpm: 1 }, from: 0, to: 100_000 },
  // GPU tools count in powers of two, whatever they call it.
  MiB: {
    units: {
      '': 1,
      b: KIB * KIB,
      kb: KIB,
      kib: KIB,
      k: KIB,
      mb: 1,
      mib: 1,
      m: 1,
      gb: 1024,
      gib: 1024,
      g: 1024,
      tb: 2 ** 20,
      tib: 2 ** 20,
    },
    from: 0,
    to: 2 ** 26,
  },
} as const satisfies Readonly<Record<string, Kind>>;

export type Quantity = keyof typeof KINDS;

/** The quantity that a measure's name ends with. */
export function quantityOf(measure: Measure): Quantity {
  const found = (Object.keys(KINDS) as Quantity[]).find(quantity => measure.endsWith(quantity));
  if (found === undefined) throw new RangeError(`${measure} has no unit in its name.`);
  return found;
}

/** A text as a quantity, in its unit; null when it is none. `bare`: the unit of a number without one. */
export function amountOf(text: string, quantity: Quantity, bare = ''): number | null {
  const [, digits, unit = bare] = AMOUNT.exec(text.trim()) ?? [];
  const { units, from, to }: Kind = KINDS[quantity];
  const worth = units[unit.toLowerCase()];
  if (digits === undefined || worth === undefined) return null;
  // Divided by a thousand, a number is rounded once.
  const value = worth < 1 ? Number(digits) / (1 / worth) : Number(digits) * worth;
  return Number.isFinite(value) && value >= from && value <= to ? value : null;
}

const NO_WORDS =
  /^(?:\[.*\]|n\/a|none|null|unknown|unsupported|not (?:supported|available.*|found)|unknown error|err!?|-+|)$/i;

/** Words that say something; null for those that stand for nothing. */
export function wordsOf(text: string | null | undefined): string | null {
  const trimmed = text?.trim() ?? '';
  return NO_WORDS.test(trimmed) ? null : trimmed;
}

/** A whole number that is at least zero, as an index or a process id; null otherwise. */
export function countOf(text: string | null | undefined): number | null {
  const trimmed = text?.trim() ?? '';
  return /^\d{1,10}$/.test(trimmed) ? Number(trimmed) : null;
}
