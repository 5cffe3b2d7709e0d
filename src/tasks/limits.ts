const MINUTES: Readonly<Record<string, number>> = { m: 1, min: 1, h: 60, d: 1440 };
const MIB: Readonly<Record<string, number>> = { mb: 1, m: 1, gb: 1024, g: 1024, tb: 2 ** 20, t: 2 ** 20 };
const MOST_CPUS = 100_000;

/** `90`, `90 min`, `4h`, `1 d 12 h`, and Slurm's format: `2:30:00`, `1-12`, `1-12:00:00`. Null: not a time. */
export function minutesOf(text: string): number | null {
  const given = text.trim().toLowerCase();
  if (/^\d+$/.test(given)) return positive(Number(given));
  return slurmMinutes(given) ?? amount(given, MINUTES);
}

/** `64`, `64 GB`, `512 MB`; the default unit is GB. Null: not an amount. */
export function memoryMiBOf(text: string): number | null {
  const given = text.trim().toLowerCase().replaceAll('i', '');
  const found = amount(/^[\d.]+$/.test(given) ? `${given}gb` : given, MIB);
  return found === null ? null : Math.ceil(found);
}

export function cpusOf(text: string): number | null {
  const count = /^\d+$/.test(text.trim()) ? positive(Number(text)) : null;
  return count !== null && count <= MOST_CPUS ? count : null;
}

/** Parts in one line, each an amount with its unit. */
function amount(text: string, units: Readonly<Record<string, number>>): number | null {
  const parts = [...text.matchAll(/(?<!\d)(\d+(?:\.\d+)?)\s*([a-z]+)\s*/g)];
  if (parts.map(([whole]) => whole).join('') !== text) return null;
  const values = parts.map(([, number, unit = '']) => Number(number) * (units[unit] ?? NaN));
  return positive(values.reduce((sum, value) => sum + value, 0));
}

/** Days before a dash; the rest is separated by colons, and seconds are rounded up. */
function slurmMinutes(text: string): number | null {
  const found = /^(?:(\d+)-)?(\d+)(?::(\d+))?(?::(\d+))?$/.exec(text);
  if (!found) return null;
  const [, days, a, b = '0', c] = found;
  const isClock = days !== undefined || c !== undefined;
  // Without days, `a:b` means minutes and seconds.
  const [hours, minutes, seconds] = isClock
    ? [Number(a), Number(b), Number(c ?? 0)]
    : [0, Number(a), Number(b)];
  return positive(Math.ceil(Number(days ?? 0) * 1440 + hours * 60 + minutes + seconds / 60));
}

const positive = (value: number): number | null => (Number.isFinite(value) && value > 0 ? value : null);
