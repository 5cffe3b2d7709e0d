import { basename } from '../text/paths';
import type { Origin, Quantity } from '../spec/quantity';

/** Where a value comes from, in a phrase: `line 12`, `default of axolotl 0.18`, `not known: …`. */
export function describeOrigin(origin: Origin, file: string): string {
  switch (origin.kind) {
    case 'file':
    case 'referenced': {
      const where = `line ${origin.at.line}`;
      return origin.at.file === file ? where : `${basename(origin.at.file)}, ${where}`;
    }
    case 'default':
      return `default of ${origin.framework}${origin.version ? ` ${origin.version}` : ''}`;
    case 'derived':
      return origin.formula;
    case 'code':
      return `in the program: ${origin.source}`;
    case 'user':
      return `set by ${origin.setting}`;
    case 'unresolved':
      return `unknown: ${origin.why}`;
  }
}

/** A value as people read it: `true`, `bf16`, `r 16, alpha 32 on all linear layers`, `none`, `unknown`. */
export function describeValue(quantity: Quantity<unknown>): string {
  const { value, origin, unit } = quantity;
  if (value === null) return origin.kind === 'unresolved' ? 'unknown' : 'none';
  const text = plain(value);
  return unit && typeof value === 'number' ? `${text} ${unit}` : text;
}

function plain(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    return String(value);
  }
  if (Array.isArray(value)) return value.map(plain).join(', ');
  if (typeof value !== 'object' || value === null) return '';
  return Object.entries(value)
    .filter(([, part]) => part !== null && part !== false && !(Array.isArray(part) && part.length === 0))
    .map(([name, part]) => (part === true ? name : `${name} ${plain(part)}`))
    .join(', ');
}
