import { formatCount, groupDigits } from '../../units';
import type { ServedRoom } from '../estimate';
import { commas } from '../../text/lists';
import type { Say } from '../../text/say';

/** Requests at once: whole ones, or tenths where there are few. */
export const atOnce = (sequences: number): string =>
  sequences < 10 ? String(Math.floor(sequences * 10) / 10) : groupDigits(Math.floor(sequences));

/** `1 request`, `3.6 requests`. */
export const requests = (say: Say, sequences: number): string => {
  const many = atOnce(sequences);
  return many === '1' ? say('1 request') : say('{0} requests', many);
};

/** The effect of a change on a server: `cache 41,216 → 90,112 tokens, 3.6 requests at once`; null: no change to say. */
export function servedEffect(
  say: Say,
  before: ServedRoom | undefined,
  after: ServedRoom | undefined,
): string | null {
  if (!after || (before?.tokens === after.tokens && before.sequences === after.sequences)) return null;
  const is = formatCount(after.tokens);
  const cache =
    before && before.tokens !== after.tokens
      ? say('cache {0} → {1} tokens', formatCount(before.tokens), is)
      : say('cache {0} tokens', is);
  const many =
    after.sequences < 1
      ? say('still less than one request')
      : say('{0} at once', requests(say, after.sequences));
  return commas(say, [cache, many]);
}
