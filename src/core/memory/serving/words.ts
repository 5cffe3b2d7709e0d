import { formatCount, groupDigits } from '../../units';
import type { ServedRoom } from '../estimate';

/** Requests at once: whole ones, or tenths where there are few. */
export const atOnce = (sequences: number): string =>
  sequences < 10 ? String(Math.floor(sequences * 10) / 10) : groupDigits(Math.floor(sequences));

/** `1 request`, `3.6 requests`. */
export const requests = (sequences: number): string => {
  const many = atOnce(sequences);
  return `${many} request${many === '1' ? '' : 's'}`;
};

/** The effect of a change on a server: `cache 41,216 → 90,112 tokens, 3.6 requests at once`; null: no change to say. */
export function servedEffect(before: ServedRoom | undefined, after: ServedRoom | undefined): string | null {
  if (!after || (before?.tokens === after.tokens && before.sequences === after.sequences)) return null;
  const was = before && before.tokens !== after.tokens ? `${formatCount(before.tokens)} → ` : '';
  const many = after.sequences < 1 ? 'still less than one request' : `${requests(after.sequences)} at once`;
  return `cache ${was}${formatCount(after.tokens)} tokens, ${many}`;
}
