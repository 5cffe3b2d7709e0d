import { isCertain } from '../learn/dataLengths';
import type { DataLengths } from '../learn/dataLengths';
import { grouped } from '../units';
import { formatBytes } from '../units';
import type { Rule, RuleContext } from './rule';

/** A limit that is a little above the data is what careful people set. */
const FAR = 2;

export const limitAboveData: Rule = {
  id: 'limit-above-data',
  severity: 'information',
  summary: 'The sequence length is far above the longest row of the data.',
  sources: [
    'the lengths that were counted of the data',
    'the estimate, with rows as long as the longest: what a batch is padded to',
  ],
  check(context) {
    const { data } = context;
    const { limit = null, longest = null } = data ?? {};
    if (!data || limit === null || longest === null || !isCertain(data) || longest >= limit) return [];
    if (data.use !== 'longest' && data.use !== 'fixed') return [];
    if (limit < FAR * longest && !decides(context, data)) return [];
    return [
      {
        at: ['quantity:seqLen', 'quantity:model'],
        message: `The limit is ${grouped(limit)} tokens, and no row of the data has more than ${grouped(longest)}: ${consequence(context, data, longest)}`,
        remedies: [{ title: 'As long as the data', changes: [{ quantity: 'seqLen', to: longest }] }],
      },
    ];
  },
};

/** The run fits with these data and may not with others. */
function decides({ estimate }: RuleContext, { estimate: byData }: DataLengths): boolean {
  const [limit, own] = [estimate?.devices[0]?.verdict, byData?.devices[0]?.verdict];
  return limit === 'exceeds' && (own === 'fits' || own === 'tight');
}

function consequence(
  { estimate }: RuleContext,
  { use, estimate: byData }: DataLengths,
  longest: number,
): string {
  if (use === 'fixed') {
    return `every batch is padded beyond all rows, which costs memory and time. With ${grouped(longest)} nothing is cut.`;
  }
  const [at, own] = [estimate?.devices[0], byData?.devices[0]];
  const sums =
    at && own
      ? `with these data the run takes about ${formatBytes(own.device.expected)}, and with rows as long as the limit ${formatBytes(at.device.expected)}`
      : 'memory is that of the longest batch';
  return `${sums}. A limit of ${grouped(longest)} cuts nothing, and makes sure of it.`;
}
