import { localSlurm, rayWatch } from '../../gpu/clusters';
import type { HostWatch } from '../../gpu/fleet';
import { readHosts } from '../../gpu/hosts';
import { openFleet } from '../../gpu/openFleet';
import { BadInput } from '../output';

export interface HostOptions {
  readonly host?: readonly string[];
  /** True: Slurm of this machine; else the alias of a login node. */
  readonly slurm?: true | string;
  /** True: the dashboard of this machine, or where RAY_ADDRESS says. */
  readonly ray?: true | string;
}

const RAY_HERE = 'http://127.0.0.1:8265';

/** The hosts that were asked for; this machine when none was. */
export function hostsFor(options: HostOptions, intervalMs: number): readonly HostWatch[] {
  const { host = [], slurm, ray } = options;
  const names = host.length === 0 && slurm === undefined && ray === undefined ? ['local'] : host;
  const watches = [...new Set(names)].map(name => named(name, intervalMs));
  if (slurm !== undefined) watches.push(slurmOf(slurm));
  if (ray !== undefined) watches.push(rayOf(ray));
  return watches;
}

/** This machine, or a host that ssh knows. */
function named(name: string, intervalMs: number): HostWatch {
  const fleet = openFleet({ executables: {}, intervalMs, lingerMs: 0 });
  if (name === 'local') return fleet.local;
  const { specs, problems } = readHosts([name]);
  fleet.setHosts(specs);
  const [, watch] = fleet.watches();
  if (watch) return watch;
  throw new BadInput(problems[0] ?? `--host ${name}: there is no such host.`);
}

function slurmOf(login: true | string): HostWatch {
  if (login === true) return localSlurm();
  throw new BadInput(`--slurm ${login}: only this machine's Slurm is known.`);
}

function rayOf(given: true | string): HostWatch {
  const fromEnvironment = process.env['RAY_ADDRESS'] ?? '';
  const isUrl = /^https?:/.test(fromEnvironment);
  const address = given === true ? (isUrl ? fromEnvironment : RAY_HERE) : given;
  const ray = rayWatch({ address });
  if (!ray.ok) throw new BadInput(`--ray: ${ray.why}`);
  return ray.watch;
}
