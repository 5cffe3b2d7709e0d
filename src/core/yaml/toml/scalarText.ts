import type { ScalarNode, ScalarValue } from '../node';

/** The range of a TOML integer: 64 bits, signed. */
const MOST = 2n ** 63n - 1n;

/** A value as TOML text, in the style of the value that it replaces; null: TOML has no such value. */
export function tomlText(value: ScalarValue, old: ScalarNode | null = null): string | null {
  if (value === null) return null;
  if (old?.style === 'single' && !/['\n\r]/.test(String(value))) return `'${plain(value)}'`;
  if (typeof value === 'string' || (old !== null && old.style !== 'plain')) return quoted(plain(value));
  if (typeof value === 'boolean') return String(value);
  return numberText(value, typeof old?.value === 'number' && isFloat(old.source));
}

const plain = (value: string | number | boolean): string =>
  typeof value === 'number' ? numberText(value, false) : String(value);

const isFloat = (source: string): boolean => !/^0[xob]/.test(source) && /[.eE]|inf|nan/.test(source);

/** A number as it is: also −0, what is not finite, and integers beyond 2⁵³, with all digits. */
function numberText(value: number, asFloat: boolean): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Object.is(value, -0)) return '-0.0';
  if (!Number.isInteger(value)) return String(value);
  const digits = BigInt(value);
  const isInteger = digits <= MOST && digits >= -MOST - 1n;
  if (isInteger && !asFloat) return String(digits);
  const short = String(value);
  return short.includes('e') ? short : `${short}.0`;
}

/** JSON's strings are TOML's basic strings, but for one character. */
const quoted = (text: string): string => JSON.stringify(text).replaceAll('\u007F', String.raw`\u007F`);

/** A key as TOML writes it. */
export const tomlKey = (name: string): string => (/^[A-Za-z0-9_-]+$/.test(name) ? name : quoted(name));
