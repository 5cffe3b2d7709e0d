import type { ScalarStyle, ScalarValue } from './node';

/** Plain text that YAML 1.1 or 1.2 would not read back as the same string. */
const NEEDS_QUOTES =
  /^$|^[\s?:,[\]{}#&*!|>'"%@`~-]|[\n\r\t]|: |:$| #|\s$|^(?:true|false|null|yes|no|on|off|y|n|~)$|^[-+]?[.\d][\d_.,:eE+-]*$|^0[xo]/i;

/** A value as YAML text in the style of the replaced value. Numbers and booleans keep existing quotes. */
export function scalarText(value: ScalarValue, style: ScalarStyle | 'double-if-needed'): string {
  const plain = plainText(value);
  if (style === 'single') return `'${plain.replaceAll("'", "''")}'`;
  if (style === 'double') return JSON.stringify(plain);
  return typeof value === 'string' && NEEDS_QUOTES.test(value) ? JSON.stringify(value) : plain;
}

function plainText(value: ScalarValue): string {
  if (typeof value !== 'number') return value === null ? 'null' : String(value);
  // 1e-7 is a string in PyYAML, which requires a dot in the mantissa.
  return String(value).replace(/^(-?\d+)e/, '$1.0e');
}
