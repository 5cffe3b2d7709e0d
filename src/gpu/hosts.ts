import { addressWord } from '../remote/address';
import { metricsAddress } from '../remote/metricsAddress';
import { rayAddress } from '../remote/rayAddress';
import { mayHoldToken } from '../remote/rayToken';
import { isAlias } from '../remote/sshArguments';

/** An SSH host in the setting `headroom.hosts`: `"alias"` or `{"ssh": "alias", "name": "…"}`. */
interface SshSpec {
  readonly kind: 'ssh';
  readonly alias: string;
  readonly name: string;
}

/** `{"slurm": true}` for this machine, `{"slurm": "login-alias"}` for a cluster behind a login node. */
interface SlurmSpec {
  readonly kind: 'slurm';
  /** `local` or the login node's alias. */
  readonly alias: string;
  readonly name: string;
}

/** `{"ray": "http://127.0.0.1:8265"}`, with `"tokenVariable": "RAY_…"` if the token is not in RAY_AUTH_TOKEN. */
export interface RaySpec {
  readonly kind: 'ray';
  /** Host and port; the full address of a dashboard with https or a path (`addressWord`). */
  readonly alias: string;
  readonly address: string;
  readonly name: string;
  readonly tokenVariable: string | null;
}

/** `{"kubernetes": true}` for the current context of the kubeconfig, `{"kubernetes": "context"}` for another. */
interface KubernetesSpec {
  readonly kind: 'kubernetes';
  /** The context with what an id can't hold escaped; `current`: the current one. */
  readonly alias: string;
  /** Null: the current one. */
  readonly context: string | null;
  readonly name: string;
}

/** `{"metrics": "http://gpu-box:9400"}`: dcgm-exporter, or a Prometheus server that scrapes it. */
export interface MetricsSpec {
  readonly kind: 'metrics';
  /** Host and port (`addressWord`). */
  readonly alias: string;
  readonly address: string;
  readonly name: string;
}

export type HostSpec = SshSpec | SlurmSpec | RaySpec | KubernetesSpec | MetricsSpec;

/** Reads one form of an entry: null for another form, a sentence if it is this form and invalid. */
type SpecReader = (entry: Readonly<Record<string, unknown>>) => HostSpec | string | null;

const readers: readonly SpecReader[] = [readSsh, readSlurm, readRay, readKubernetes, readMetrics];

interface Hosts {
  readonly specs: readonly HostSpec[];
  /** A sentence for each entry that was omitted. */
  readonly problems: readonly string[];
}

/** The hosts of the setting without duplicates; invalid entries are omitted and reported. */
export function readHosts(value: unknown): Hosts {
  const specs = new Map<string, HostSpec>();
  const problems: string[] = [];
  for (const entry of Array.isArray(value) ? (value as readonly unknown[]) : []) {
    const spec = specOf(entry);
    if (typeof spec === 'string') problems.push(spec);
    else if (!specs.has(idOf(spec))) specs.set(idOf(spec), spec);
  }
  return { specs: [...specs.values()], problems };
}

/** Whether a terminal can be opened to it: a Ray dashboard and this machine's Slurm have no login. */
export const hasLogin = (spec: HostSpec): boolean =>
  spec.kind === 'ssh' || (spec.kind === 'slurm' && spec.alias !== 'local');

/** The id of its watch. */
export const idOf = (spec: HostSpec): string => `${spec.kind}:${spec.alias}`;

function specOf(entry: unknown): HostSpec | string {
  const form = typeof entry === 'string' ? { ssh: entry } : entry;
  if (typeof form === 'object' && form !== null) {
    for (const read of readers) {
      const spec = read(form as Readonly<Record<string, unknown>>);
      if (spec !== null) return spec;
    }
  }
  return `${JSON.stringify(entry)} is not a valid host; use "alias", {"ssh": "alias"}, {"slurm": true}, {"slurm": "login-alias"}, {"ray": "http://host:8265"}, {"kubernetes": true}, {"kubernetes": "context"} or {"metrics": "http://host:9400"}.`;
}

function readSsh({ ssh, name }: Readonly<Record<string, unknown>>): HostSpec | string | null {
  if (ssh === undefined) return null;
  if (typeof ssh !== 'string' || !isAlias(ssh)) {
    return `${JSON.stringify(ssh)} is not the name of an SSH host.`;
  }
  return { kind: 'ssh', alias: ssh, name: nameOr(name, ssh) };
}

function readSlurm({ slurm, name }: Readonly<Record<string, unknown>>): HostSpec | string | null {
  if (slurm === undefined || slurm === false) return null;
  if (slurm === true) return { kind: 'slurm', alias: 'local', name: nameOr(name, 'Slurm') };
  if (typeof slurm !== 'string' || !isAlias(slurm)) {
    return `${JSON.stringify(slurm)} is neither true nor the SSH name of a login node.`;
  }
  return { kind: 'slurm', alias: slurm, name: nameOr(name, `Slurm ${slurm}`) };
}

function readRay({ ray, name, tokenVariable }: Readonly<Record<string, unknown>>): HostSpec | string | null {
  if (ray === undefined) return null;
  const address = rayAddress(typeof ray === 'string' ? ray : '');
  if (!address.ok) return address.why;
  const { host } = address.url;
  const variable = typeof tokenVariable === 'string' ? tokenVariable : null;
  if (variable !== null && !mayHoldToken(variable)) {
    return `“${variable}” cannot hold the token: its name must start with RAY_.`;
  }
  const named = nameOr(name, `Ray ${host}`);
  return {
    kind: 'ray',
    alias: addressWord(address.url),
    address: address.url.href,
    name: named,
    tokenVariable: variable,
  };
}

/** Contexts of clouds have names with slashes and colons. */
const CONTEXT = /^[^\p{Cc}\p{Cf}]{1,253}$/u;

function readKubernetes({ kubernetes, name }: Readonly<Record<string, unknown>>): HostSpec | string | null {
  if (kubernetes === undefined || kubernetes === false) return null;
  if (kubernetes === true) {
    return { kind: 'kubernetes', alias: 'current', context: null, name: nameOr(name, 'Kubernetes') };
  }
  if (typeof kubernetes !== 'string' || !CONTEXT.test(kubernetes)) {
    return `${JSON.stringify(kubernetes)} is neither true nor the name of a context.`;
  }
  const alias = contextWord(kubernetes);
  return { kind: 'kubernetes', alias, context: kubernetes, name: nameOr(name, `Kubernetes ${kubernetes}`) };
}

/** A context in the id of its watch. */
export const contextWord = (context: string): string => `context:${encodeURIComponent(context)}`;

function readMetrics({ metrics, name }: Readonly<Record<string, unknown>>): HostSpec | string | null {
  if (metrics === undefined) return null;
  const address = metricsAddress(typeof metrics === 'string' ? metrics : '');
  if (!address.ok) return address.why;
  const { url } = address;
  return { kind: 'metrics', alias: addressWord(url), address: url.href, name: nameOr(name, url.host) };
}

const nameOr = (name: unknown, other: string): string =>
  typeof name === 'string' && name.trim() !== '' ? name : other;
