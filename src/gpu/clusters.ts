import { ClusterWatch } from './clusterWatch';
import type { HostWatch } from './fleet';
import { nodeLaunch } from './launch';
import type { Launch } from './launch';
import { KubernetesCluster } from './kubernetes/cluster';
import { MetricsSource } from './metrics/source';
import { addressWord } from '../remote/address';
import { metricsAddress } from '../remote/metricsAddress';
import { rayAddress } from '../remote/rayAddress';
import { RayCluster } from './ray/cluster';
import { NodeHttp } from '../remote/http';
import type { HttpGet } from '../remote/http';
import { rayToken } from '../remote/rayToken';
import { SlurmCluster } from './slurm/cluster';
import { commandsHere } from './slurm/commands';
import { SshSlurmCluster } from './slurm/sshCluster';
import type { SshRoom } from './ssh/sshWatch';
import { nodeTimers } from './timers';
import type { Timers } from './timers';

/** How clusters are reached. */
interface ClusterEnvironment {
  readonly launch: Launch;
  readonly timers: Timers;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Records HTTP requests. */
  readonly tapHttp?: (http: HttpGet) => HttpGet;
}

export const here: ClusterEnvironment = { launch: nodeLaunch, timers: nodeTimers, variables: process.env };

/** slurmctld answers all users under one lock, so a panel that stays open must not add noticeable load. */
export const SLURM_INTERVAL_MS = 20_000;
/** Ray's node agents report every 2.5 s, and a query takes milliseconds. */
export const RAY_INTERVAL_MS = 5000;
/** Lists of all nodes and pods are work for an API server. */
const KUBERNETES_INTERVAL_MS = 30_000;
/** Exporters read their GPUs every 10 to 30 s. */
export const METRICS_INTERVAL_MS = 10_000;

/** Slurm on this machine. */
export function localSlurm(name = 'Slurm', { launch, timers }: ClusterEnvironment = here): HostWatch {
  const cluster = new SlurmCluster(launch, timers, commandsHere);
  return new ClusterWatch({ id: 'slurm:local', kind: 'slurm', name }, cluster, SLURM_INTERVAL_MS, timers);
}

/** Slurm through a login node of ~/.ssh/config. */
export function loginSlurm(
  alias: string,
  name: string,
  room: SshRoom,
  tap?: (launch: Launch) => Launch,
): HostWatch {
  const host = { id: `slurm:${alias}`, kind: 'slurm', name } as const;
  const cluster = new SshSlurmCluster(alias, room, tap);
  return new ClusterWatch(host, cluster, SLURM_INTERVAL_MS, room.timers, room.lingerMs);
}

/** Kubernetes through the user's kubeconfig; `context` null: its current one. Reads it on the first question. */
export function kubernetesWatch(
  context: string | null,
  { alias, name }: { readonly alias: string; readonly name: string },
): HostWatch {
  const cluster = new KubernetesCluster(async () => {
    const { openKube } = await import('../remote/kubeApi');
    const opened = openKube(context);
    return opened.ok ? { ok: true, api: opened.api } : opened;
  });
  return new ClusterWatch(
    { id: `kubernetes:${alias}`, kind: 'kubernetes', name },
    cluster,
    KUBERNETES_INTERVAL_MS,
    here.timers,
  );
}

type AddressedWatch =
  | { readonly ok: true; readonly watch: HostWatch }
  /** A sentence that says what is wrong with the address. */
  | { readonly ok: false; readonly why: string };

/** dcgm-exporter, or a Prometheus server that scrapes it. */
export function metricsWatch(given: string, name: string | null): AddressedWatch {
  const address = metricsAddress(given);
  if (!address.ok) return address;
  const { url } = address;
  const source = new MetricsSource(new NodeHttp(url, null), here.timers);
  const watched = { id: `metrics:${addressWord(url)}`, kind: 'metrics', name: name ?? url.host } as const;
  return { ok: true, watch: new ClusterWatch(watched, source, METRICS_INTERVAL_MS, here.timers) };
}

type RayWatch =
  | { readonly ok: true; readonly watch: HostWatch }
  /** A sentence that says what is wrong with the address or the token's name. */
  | { readonly ok: false; readonly why: string };

interface RaySettings {
  readonly address: string;
  readonly name?: string;
  /** The environment variable with the token, if it is not RAY_AUTH_TOKEN. */
  readonly tokenVariable?: string | null;
  /** The address comes from the user's own settings; absent: from a command line. */
  readonly isOwn?: boolean;
}

/** A Ray cluster through its dashboard. */
export function rayWatch(
  { address: given, name, tokenVariable, isOwn = false }: RaySettings,
  { timers, variables, tapHttp = http => http }: ClusterEnvironment = here,
  intervalMs = RAY_INTERVAL_MS,
): RayWatch {
  const address = rayAddress(given);
  if (!address.ok) return address;
  const token = rayToken(address, variables, tokenVariable ?? null, isOwn);
  if (!token.ok) return token;
  const { host } = address.url;
  const cluster = new RayCluster(
    tapHttp(new NodeHttp(address.url, token.token)),
    timers,
    token.token !== null,
  );
  const watched = {
    id: `ray:${addressWord(address.url)}`,
    kind: 'ray',
    name: name ?? `Ray ${host}`,
  } as const;
  return { ok: true, watch: new ClusterWatch(watched, cluster, intervalMs, timers) };
}
