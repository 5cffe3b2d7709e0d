import type { RunSpec } from '../spec/runSpec';
import type { GpuEstimate, Term } from './estimate';
import type { Plan } from './setup/setUp';

/** What a row takes by its length. */
const BY_LENGTH: ReadonlySet<Term['term']> = new Set([
  'activations',
  'logits and loss',
  'temporaries',
  'inputs and buffers',
]);

/** Only rows as long as a limit that no file states take more than there is: the data decide whether one is. */
export function undecidedByLength(
  { quantities }: RunSpec,
  { memoryRun }: Pick<Plan, 'memoryRun'>,
  { devices }: GpuEstimate,
): boolean {
  const [device] = devices;
  if (device?.verdict !== 'exceeds' || !device.usableBytes || memoryRun.batch.atMost !== true) return false;
  if (memoryRun.task !== 'train' || quantities.seqLen.origin.kind !== 'default') return false;
  const bytes = (counts: (term: Term) => boolean): number =>
    device.terms.filter(counts).reduce((sum, term) => sum + term.bytes, 0);
  const least = device.allocated.expected + bytes(({ term }) => term === 'cuda context');
  return least - bytes(({ term }) => BY_LENGTH.has(term)) <= device.usableBytes;
}
