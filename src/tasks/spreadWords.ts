import type { JobPlace } from '../jobs/job';
import { placeName } from '../jobs/placeName';
import type { HostOfMany } from './ports';

/** Where the parts of an embedding go. */
export type Spread =
  | { readonly kind: 'hosts'; readonly hosts: readonly HostOfMany[] }
  | {
      readonly kind: 'cluster';
      readonly place: Extract<JobPlace, { readonly engine: 'slurm' | 'ray' }>;
      readonly name: string;
      readonly parts: number;
    };

/** The command of an embedding with what spreads it; it reads everything again by itself. */
export function spreadWords(
  argv: readonly string[],
  spread: Spread,
  sshConfig: string | null,
): readonly string[] {
  const own = argv.filter(word => word !== '--verify');
  const ssh = sshConfig === null ? [] : ['--ssh-config', sshConfig];
  if (spread.kind === 'hosts') return [...own, ...ssh, '--hosts', ...spread.hosts.map(({ alias }) => alias)];
  const { place, parts } = spread;
  const many = ['--parts', String(parts)];
  if (place.engine === 'ray') return [...own, '--ray', place.address, ...many];
  const login = place.alias === null ? [] : [place.alias];
  const partition = place.partition === null ? [] : ['--partition', place.partition];
  return [...own, ...ssh, '--slurm', ...login, ...partition, ...many];
}

/** `gpu-a (GPU 0, GPU 1), gpu-b (its processors)`. */
export function whereText(spread: Spread): string {
  if (spread.kind === 'cluster') return placeName(spread.place);
  return spread.hosts
    .map(({ name, gpus }) => {
      const on = gpus.length === 0 ? 'its processors' : gpus.map(({ index }) => `GPU ${index}`).join(', ');
      return `${name} (${on})`;
    })
    .join(', ');
}

/** How it is split, and what becomes of the parts. */
export function partsText(spread: Spread): readonly string[] {
  const count = partCount(spread);
  const parts = count === 1 ? 'All texts are one part' : `The texts are split into ${count} equal parts`;
  const each = spread.kind === 'hosts' ? 'one on each GPU' : 'each a job of the scheduler';
  return [
    `${parts}, ${each}.`,
    'A part that fails is run again elsewhere, three times at most; when all are done they are brought here, merged and verified.',
    ...(spread.kind === 'hosts' ? ['headroom must be installed on each host.'] : []),
  ];
}

/** One on each GPU; a host without any takes one on its processors. */
export const partCount = (spread: Spread): number =>
  spread.kind === 'cluster'
    ? spread.parts
    : spread.hosts.reduce((sum, { gpus }) => sum + Math.max(1, gpus.length), 0);
