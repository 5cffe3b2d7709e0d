import { createHash } from 'node:crypto';

/** A fingerprint of a text: tells whether somebody has touched it since. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
