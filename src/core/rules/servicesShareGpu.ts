import { commas } from '../text/lists';
import { formatBytes } from '../units';
import type { OtherRun, Rule } from './rule';
import { listed } from './when';

const idsOf = ({ run }: Pick<OtherRun, 'run'>): readonly string[] => run.launched?.deviceIds ?? [];

const needOf = ({ estimate }: Pick<OtherRun, 'estimate'>): number =>
  estimate?.devices[0]?.device.expected ?? 0;

/** Services with different profiles are started for different purposes; a script trains one after the other. */
function runTogether(a: OtherRun['run'], b: OtherRun['run']): boolean {
  if (a.launched?.isAwaited && b.launched?.isAwaited) return false;
  const [first = [], second = []] = [a.launched?.profiles, b.launched?.profiles];
  return first.length === 0 && second.length === 0 ? true : first.some(profile => second.includes(profile));
}

/** Services on the same GPU that fit individually but not together. */
export const servicesShareGpu: Rule = {
  id: 'services-share-gpu',
  severity: 'warning',
  summary: 'Services of one file share a GPU that cannot hold them all.',
  sources: [
    'docs.docker.com/compose/how-tos/gpu-support: device_ids',
    'vllm docs/serving: --gpu-memory-utilization is a share of the whole GPU, for each server',
  ],
  check: ({ run, estimate, otherRuns = [], say }) => {
    const capacity = estimate?.devices[0]?.capacityBytes ?? null;
    if (estimate === null || capacity === null) return [];
    const ids = idsOf({ run });
    const others = otherRuns.filter(
      one => one.estimate && idsOf(one).some(id => ids.includes(id)) && runTogether(one.run, run),
    );
    const together = others.reduce((sum, one) => sum + needOf(one), needOf({ estimate }));
    if (others.length === 0 || together <= capacity) return [];
    const names = [...others.map(one => one.run.name), run.name].map(name => `\`${name}\``);
    const shared = ids.filter(id => others.some(one => idsOf(one).includes(id)));
    const message = say(
      '{0} share a GPU ({1}): together they need ≈ {2} of its {3}. Give each its own GPU, or lower the share of each.',
      listed(say, names),
      commas(say, shared),
      formatBytes(together),
      formatBytes(capacity),
    );
    return [{ at: ['quantity:devices', 'quantity:model'], message }];
  },
};
