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
  readonly remoteFolder?: string;
}

const RAY_HERE = 'http://127.0.0.1:8265';

/** Where a job goes: this machine by default; only one place may be given. */
export function placeOf({ host, slurm, partition, ray, remoteFolder }: PlaceChoice): JobPlace {
  const named = [host, slurm, ray].filter(one => one !== undefined);
  if (named.length > 1) throw new BadInput('Choose one of --host, --slurm and --ray.');
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

function aliasOf(name: string, option: string): string {
  if (isAlias(name)) return name;
  throw new BadInput(`${option} ${name}: not a valid SSH host; use a name from ~/.ssh/config.`);
}
