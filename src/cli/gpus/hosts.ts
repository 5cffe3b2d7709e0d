import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  here,
  kubernetesWatch,
  localSlurm,
  loginSlurm,
  metricsWatch,
  rayWatch,
  SLURM_INTERVAL_MS,
} from '../../gpu/clusters';
import { contextWord } from '../../gpu/hosts';
import type { Host, HostWatch } from '../../gpu/fleet';
import { HERE, LocalWatch } from '../../gpu/localWatch';
import { openGpus } from '../../gpu/open';
import { sshRoom } from '../../gpu/openFleet';
import type { HostRecorder } from '../../gpu/recording/recorder';
import { isAlias } from '../../remote/sshArguments';
import type { SshProgram } from '../../remote/sshArguments';
import { SshWatch } from '../../gpu/ssh/sshWatch';
import { BadInput } from '../output';

export interface HostOptions {
  readonly host?: readonly string[];
  /** True: Slurm of this machine; else the alias of a login node. */
  readonly slurm?: true | string;
  /** True: the dashboard of this machine, or the one in RAY_ADDRESS. */
  readonly ray?: true | string;
  /** True: the current context of the kubeconfig. */
  readonly kubernetes?: true | string;
  /** The address of dcgm-exporter or of a Prometheus server. */
  readonly metrics?: string;
  /** A file other than ~/.ssh/config. */
  readonly sshConfig?: string;
}

/** Creates a recorder for a host; null if nothing is recorded. */
type Recorders = ((host: Host) => HostRecorder) | null;

const RAY_HERE = 'http://127.0.0.1:8265';

/** Whether hosts are named at all. */
export const namesHosts = ({ host, slurm, ray, kubernetes, metrics }: HostOptions): boolean =>
  [host, slurm, ray, kubernetes, metrics].some(one => one !== undefined);

/** The requested hosts; by default this machine. */
export function hostsFor(
  options: HostOptions,
  intervalMs: number,
  recorders: Recorders,
): readonly HostWatch[] {
  const { slurm, ray, kubernetes, metrics } = options;
  const names = namesHosts(options) ? (options.host ?? []) : ['local'];
  const ssh = sshOf(options);
  const watches = [...new Set(names)].map(name => named(name, ssh, intervalMs, recorders));
  if (slurm !== undefined) watches.push(slurmOf(slurm, ssh, recorders));
  if (ray !== undefined) watches.push(rayOf(ray, recorders));
  if (kubernetes !== undefined) watches.push(kubernetesOf(kubernetes));
  if (metrics !== undefined) watches.push(metricsOf(metrics));
  return watches;
}

function sshOf({ sshConfig }: HostOptions): Partial<SshProgram> {
  if (sshConfig === undefined) return {};
  if (!existsSync(sshConfig)) throw new BadInput(`--ssh-config ${sshConfig}: no such file.`);
  return { configFile: resolve(sshConfig) };
}

function named(name: string, ssh: Partial<SshProgram>, intervalMs: number, recorders: Recorders): HostWatch {
  if (name === 'local') return new LocalWatch(openGpus({}, recorders?.(HERE).tap).machine(intervalMs));
  const alias = aliasOf(name, '--host');
  const recorder = recorders?.({ id: `ssh:${alias}`, kind: 'ssh', name: alias });
  const room = sshRoom(ssh, intervalMs, 0);
  return new SshWatch(alias, alias, recorder ? { ...room, tap: recorder.tap } : room);
}

function kubernetesOf(given: true | string): HostWatch {
  const [context, alias] = given === true ? [null, 'current'] : [given, contextWord(given)];
  return kubernetesWatch(context, { alias, name: context === null ? 'Kubernetes' : `Kubernetes ${context}` });
}

function metricsOf(address: string): HostWatch {
  const metrics = metricsWatch(address, null);
  if (!metrics.ok) throw new BadInput(`--metrics: ${metrics.why}`);
  return metrics.watch;
}

const SLURM_HERE: Host = { id: 'slurm:local', kind: 'slurm', name: 'Slurm' };

function slurmOf(login: true | string, ssh: Partial<SshProgram>, recorders: Recorders): HostWatch {
  if (login === true) {
    const recorder = recorders?.(SLURM_HERE);
    const environment = recorder ? { ...here, launch: recorder.launch(here.launch) } : here;
    return localSlurm(SLURM_HERE.name, environment);
  }
  const alias = aliasOf(login, '--slurm');
  const name = `Slurm ${alias}`;
  const recorder = recorders?.({ id: `slurm:${alias}`, kind: 'slurm', name });
  return loginSlurm(alias, name, sshRoom(ssh, SLURM_INTERVAL_MS, 0), recorder?.launch);
}

function aliasOf(name: string, option: string): string {
  if (isAlias(name)) return name;
  throw new BadInput(`${option} ${name}: not a valid SSH host; use a name from ~/.ssh/config.`);
}

function rayOf(given: true | string, recorders: Recorders): HostWatch {
  const fromEnvironment = process.env['RAY_ADDRESS'] ?? '';
  const isUrl = /^https?:/.test(fromEnvironment);
  const address = given === true ? (isUrl ? fromEnvironment : RAY_HERE) : given;
  const recorder = recorders?.({ id: 'ray', kind: 'ray', name: 'Ray' });
  const ray = rayWatch({ address }, recorder ? { ...here, tapHttp: recorder.http } : here);
  if (!ray.ok) throw new BadInput(`--ray: ${ray.why}`);
  return ray.watch;
}
