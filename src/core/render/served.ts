import type { DeviceEstimate } from '../memory/estimate';
import { atOnce, requests } from '../memory/serving/words';
import { grouped } from '../units';
import type { Say } from '../text/say';

/** What a server's cache is good for, in a few words: `133 requests of 8,192 tokens`; null: not a server's. */
export function servedWord(say: Say, { served, verdict }: DeviceEstimate): string | null {
  if (!served || served.refusal !== null) return null;
  const { sequences, context, longest } = served;
  if (sequences < 1) return say('cache for {0} of {1} tokens', grouped(longest), grouped(context));
  return verdict === 'exceeds' ? null : say('{0} × {1} tokens', atOnce(sequences), grouped(context));
}

/** What a server's cache holds, as it would say at startup, in sentences; empty without a server. */
export function describeServed(say: Say, { served }: DeviceEstimate): string {
  if (!served || served.refusal !== null) return '';
  const { tokens, sequences, context, longest } = served;
  const many = sequences < 1 ? say('less than one request') : requests(say, sequences);
  const holds = say(
    'The cache holds {0} tokens: {1} of {2} tokens at once.',
    grouped(tokens),
    many,
    grouped(context),
  );
  const most =
    longest === 0
      ? say('No request fits.')
      : say('The longest request that fits has {0} tokens.', grouped(longest));
  return say('{0} {1}', holds, most);
}
