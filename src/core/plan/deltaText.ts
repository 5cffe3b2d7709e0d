import type { Say } from '../text/say';
import { formatDelta } from '../units';

/** A change of memory with its sign: `−6.1 GB`, `no change in memory`. */
export const deltaText = (say: Say, bytes: number): string =>
  formatDelta(bytes) ?? say('no change in memory');
