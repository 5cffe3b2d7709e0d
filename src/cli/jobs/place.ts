import type { Command } from 'commander';
import type { JobPlace } from '../../jobs/job';
import { isAlias } from '../../remote/sshArguments';
import { BadInput } from '../output';

export interface PlaceChoice {
  readonly host?: string;
  /** True: Slurm of this machine; else the alias of a login node. */
  readonly slurm?: true | string;
  readonly partition?: string;
  /** True: the dashboard of this machine, or the one in RAY_ADDRESS. */
  readonly ray?: true | string;
  /** True: the current context of the kubeconfig; else the name of one. */
  readonly kubernetes?: true | string;
  readonly namespace?: string;
  readonly image?: string;
  readonly claim?: string;
  readonly remoteFolder?: string;
}

/** The options of `headroom run` that say where a job goes, and what it asks of a scheduler. */
export const placeOptions = (command: Command): Command =>
  command
    .option('--host <name>', 'run on a host from ~/.ssh/config')
    .option('--remote-folder <path>', 'folder on that host or cluster (default: copy the local folder)')
    .option('--slurm [login]', 'run with Slurm, here or through a login node from ~/.ssh/config')
    .option('--partition <name>', 'partition')
    .option('--ray [address]', 'run on a Ray cluster (default: RAY_ADDRESS, otherwise port 8265 here)')
    .option(
      '--kubernetes [context]',
      'run as a Job, in a context of your kubeconfig (default: the current one)',
    )
    .option('--image <name>', 'container image of the Job, with its program and code')
    .option('--namespace <name>', 'namespace of the Job (default: that of the context)')
    .option('--claim <name>', 'PersistentVolumeClaim to mount at --remote-folder');

const RAY_HERE = 'http://127.0.0.1:8265';

/** Where a job goes: this machine by default; only one place may be given. */
export function placeOf(choice: PlaceChoice): JobPlace {
  const { host, slurm, partition, ray, remoteFolder, kubernetes } = choice;
  const named = [host, slurm, ray, kubernetes].filter(one => one !== undefined);
  if (named.length > 1) throw new BadInput('Choose one of --host, --slurm, --ray and --kubernetes.');
  if (kubernetes !== undefined) return kubernetesPlace(kubernetes, choice);
  if (host !== undefined && host !== 'local') {
    return { engine: 'ssh', alias: aliasOf(host, '--host'), folder: remoteFolder ?? null };
  }
  if (slurm !== undefined) {
    const alias = slurm === true ? null : aliasOf(slurm, '--slurm');
    const remote = alias !== null && remoteFolder !== undefined ? { folder: remoteFolder } : {};
    return { engine: 'slurm', alias, partition: partition ?? null, ...remote };
  }
  if (ray !== undefined) {
    const given = process.env['RAY_ADDRESS'] ?? '';
    return { engine: 'ray', address: ray === true ? (/^https?:/.test(given) ? given : RAY_HERE) : ray };
  }
  return { engine: 'local' };
}

function kubernetesPlace(
  context: true | string,
  { image, namespace, claim, remoteFolder }: PlaceChoice,
): JobPlace {
  if (image === undefined) {
    throw new BadInput('--kubernetes needs --image: the container that runs the command.');
  }
  if (claim !== undefined && remoteFolder === undefined) {
    throw new BadInput('--claim needs --remote-folder: where the container sees it.');
  }
  return {
    engine: 'kubernetes',
    context: context === true ? null : context,
    namespace: namespace ?? null,
    image,
    folder: remoteFolder ?? null,
    claim: claim ?? null,
  };
}

function aliasOf(name: string, option: string): string {
  if (isAlias(name)) return name;
  throw new BadInput(`${option} ${name}: not a valid SSH host; use a name from ~/.ssh/config.`);
}
