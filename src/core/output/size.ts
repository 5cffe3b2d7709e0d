const UNITS: Readonly<Record<string, number>> = {
  b: 1,
  byte: 1,
  bytes: 1,
  k: 2 ** 10,
  kb: 2 ** 10,
  kib: 2 ** 10,
  m: 2 ** 20,
  mb: 2 ** 20,
  mib: 2 ** 20,
  g: 2 ** 30,
  gb: 2 ** 30,
  gib: 2 ** 30,
  t: 2 ** 40,
  tb: 2 ** 40,
  tib: 2 ** 40,
  pb: 2 ** 50,
  pib: 2 ** 50,
  eib: 2 ** 60,
  ki: 2 ** 10,
  mi: 2 ** 20,
  gi: 2 ** 30,
  megabytes: 2 ** 20,
  gigabytes: 2 ** 30,
};

const UNIT = '(?:[KMGTPEkmgtp]i?[Bb]|[KMG]i|(?:mega|giga)?[Bb]ytes|B)';

/** A pattern for an amount with its unit. The length is bounded to avoid quadratic backtracking. */
export const SIZE = String.raw`\d[\d.,]{0,23}\s*${UNIT}`;

/** The same, with its number as the group `n` and its unit as `u`. */
export const SIZE_GROUPS = String.raw`(?<n>\d[\d.,]{0,23})\s*(?<u>${UNIT})`;

/**
 * Bytes of `15.41 GiB`. `GB` and `MB` mean 2^30 and 2^20 here: all programs that print them (torch's MPS backend,
 * Ray, SGLang, DeepSpeed, Paddle, the kernel) divide by powers of 1,024. Null if it is not an amount.
 */
export function bytesOf(text: string): number | null {
  const [, digits = '', unit = ''] = /^(\d[\d.,]*)\s*([a-z]+)$/i.exec(text.trim()) ?? [];
  const scale = UNITS[unit.toLowerCase()];
  const value = numberOf(digits);
  return scale === undefined || value === null ? null : Math.round(value * scale);
}

/** A number as programs print it: `129,238`, `2e+3`, `273.`; null for `nan` and other text. */
export function numberOf(text: string): number | null {
  const value = Number(text.replaceAll(',', '').replace(/\.$/, ''));
  return text !== '' && Number.isFinite(value) ? value : null;
}

const SECONDS: Readonly<Record<string, number>> = { d: 86_400, h: 3_600, m: 60, s: 1 };

/**
 * Seconds of `1573:03:24`, `1 day, 11:14:26`, `2d 22h 37m 44s`, `0h3m`, `7 minutes and 58.6 seconds`; null for other text.
 */
export function secondsOf(text: string): number | null {
  const clock = /^(?:(\d+) ?d(?:ays?)?,? )?(?:(\d+):)?(\d+):(\d+(?:\.\d+)?)$/.exec(text.trim());
  if (clock) {
    const [days = 0, hours = 0, minutes = 0, seconds = 0] = clock.slice(1).map(part => Number(part || 0));
    return days * 86_400 + hours * 3_600 + minutes * 60 + seconds;
  }
  const parts = [
    ...text.matchAll(
      /(?<!\d)(\d+(?:\.\d+)?)\s*(d|h|m|s)(?:ays?|ours?|in(?:ute)?s?|ec(?:ond)?s?)?(?![A-Za-z])/g,
    ),
  ];
  if (parts.length === 0) return null;
  return parts.reduce((sum, [, count, unit = 's']) => sum + Number(count) * (SECONDS[unit] ?? 0), 0);
}
