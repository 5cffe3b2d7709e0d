import type { DeviceEstimate } from '../memory/estimate';
import { atOnce, requests } from '../memory/serving/words';
import { grouped } from '../units';

/** What a server's cache is good for, in a few words: `133 requests of 8,192 tokens`; null: not a server's. */
export function servedWord({ served, verdict }: DeviceEstimate): string | null {
  if (!served || served.refusal !== null) return null;
  const { sequences, context, longest } = served;
  if (sequences < 1) return `cache for ${grouped(longest)} of ${grouped(context)} tokens`;
  return verdict === 'exceeds' ? null : `${atOnce(sequences)} × ${grouped(context)} tokens`;
}

/** What a server's cache holds, as it would say at startup, in sentences; empty without a server. */
export function describeServed({ served }: DeviceEstimate): string {
  if (!served || served.refusal !== null) return '';
  const { tokens, sequences, context, longest } = served;
  const many = sequences < 1 ? 'less than one request' : requests(sequences);
  const most =
    longest === 0 ? 'No request fits.' : `The longest request that fits has ${grouped(longest)} tokens.`;
  return `The cache holds ${grouped(tokens)} tokens: ${many} of ${grouped(context)} tokens at once. ${most}`;
}
