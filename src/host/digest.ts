import { createHash } from 'node:crypto';

/** A fingerprint of a text, to detect whether it changed since. The browser's build has `src/web/digest.ts` instead. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
