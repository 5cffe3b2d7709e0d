import type { Rule } from './rule';
import { GUIDE } from './dialectGroups';
import { numberOf } from './raw';
import { quoted, setKey } from './when';

/** What the guide recommends for the first stage where memory allows it. */
const RECOMMENDED = 32;
/** Share of the memory that may be used, as in the guide's script. */
const MARGIN = 0.85;

export const moreNegativesFit: Rule = {
  id: 'more-negatives-fit',
  severity: 'hint',
  summary: 'There is memory for the recommended 32 negatives in the first stage.',
  sources: [
    'training-memory guide, “Maximize Training Quality”: if memory allows, n_negatives=32 for stage 01',
  ],
  dialects: GUIDE,
  check(context) {
    const { estimate, run } = context;
    const negatives = numberOf(context, 'n_negatives');
    const [device] = estimate?.devices ?? [];
    if (!/^0?1(?:\D|$)/.test(run.name) || negatives === null || negatives >= RECOMMENDED) return [];
    // Everything grows with the sequences at most in proportion: an upper bound that still fits is safe.
    const growth = (2 + RECOMMENDED) / (2 + negatives);
    if (!device?.usableBytes || device.device.high * growth > device.usableBytes * MARGIN) return [];
    const message =
      `${quoted(context, 'n_negatives')} leaves memory for the recommended ${RECOMMENDED} in the first stage: harder examples, better contrast. ` +
      'Later stages need fewer.';
    return [{ at: ['n_negatives'], message, remedies: [setKey('n_negatives', RECOMMENDED)] }];
  },
};
