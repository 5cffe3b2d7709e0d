import type { Measure } from '../sample';

/** A number with an optional unit; anything else (a decimal comma, words) is not a number. */
const AMOUNT = /^([+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d{1,2})?)\s*([^\d\s.,+-][^\d\s,]*)?$/i;

interface Kind {
  /** The factor of each unit (lower case, '' for none); other units belong to other quantities. */
  readonly units: Readonly<Record<string, number>>;
  /** The plausible range: values beyond it are corrupt text, or a counter instead of a value. */
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
  // GPU tools use powers of two, whatever they call the unit.
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

type Quantity = keyof typeof KINDS;

/** The quantity at the end of a measure's name. */
function quantityOf(measure: Measure): Quantity {
  const found = (Object.keys(KINDS) as Quantity[]).find(quantity => measure.endsWith(quantity));
  if (found === undefined) throw new RangeError(`${measure} has no unit in its name.`);
  return found;
}

/** Converts a text to a quantity in its unit; null if it is not one. `bare`: the unit of a number without one. */
export function amountOf(text: string, quantity: Quantity, bare = ''): number | null {
  const [, digits, unit = bare] = AMOUNT.exec(text.trim()) ?? [];
  const { units, from, to }: Kind = KINDS[quantity];
  const worth = units[unit.toLowerCase()];
  if (digits === undefined || worth === undefined) return null;
  // Division by a thousand rounds only once.
  const value = worth < 1 ? Number(digits) / (1 / worth) : Number(digits) * worth;
  return Number.isFinite(value) && value >= from && value <= to ? value : null;
}

/** A measure from its text; null if it is not one, as an amount of memory is no share. */
export const measureOf = (text: string, measure: Measure): number | null =>
  amountOf(text, quantityOf(measure));

/** True for a number with the unit of another quantity. */
export function isOfAnother(text: string, measure: Measure): boolean {
  const unit = AMOUNT.exec(text.trim())?.[2]?.toLowerCase() ?? '';
  const has = ({ units }: Kind): boolean => Object.hasOwn(units, unit);
  return !has(KINDS[quantityOf(measure)]) && Object.values(KINDS).some(has);
}

const NO_WORDS =
  /^(?:\[.*\]|n\/a|none|null|unknown|unsupported|not (?:supported|available.*|found)|unknown error|err!?|-+|)$/i;

/** Meaningful words; null for placeholders. */
export function wordsOf(text: string | null | undefined): string | null {
  const trimmed = text?.trim() ?? '';
  return NO_WORDS.test(trimmed) ? null : trimmed;
}

/** A whole number ≥ 0, such as an index or a pid; null otherwise. */
export function countOf(text: string | null | undefined): number | null {
  const trimmed = text?.trim() ?? '';
  return /^\d{1,10}$/.test(trimmed) ? Number(trimmed) : null;
}
