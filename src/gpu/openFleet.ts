import { machinePlaces } from '../core/compare/place';
import type { Place } from '../core/compare/place';
import type { Target } from '../core/hardware/gpu';
import type { GpuSource } from '../core/hardware/match';
import type { Detection } from './detect';
import type { Fleet, Host, HostReading, HostWatch, SampleHistory } from './fleet';
import {
  kubernetesWatch,
  localSlurm,
  loginSlurm,
  METRICS_INTERVAL_MS,
  metricsWatch,
  RAY_INTERVAL_MS,
  rayWatch,
} from './clusters';
import { copiedGpus } from './copied';
import { ClusterWatch } from './clusterWatch';
import { RingHistory } from './history';
import type { HostSpec, MetricsSpec, RaySpec } from './hosts';
import { nodeTalk } from './launch';
import { LocalWatch } from './localWatch';
import { openGpus } from './open';
import { askHosts, hostPlaces } from './places';
import { presentTargets } from './present';
import { SSH_DEFAULTS } from '../remote/sshArguments';
import type { SshProgram } from '../remote/sshArguments';
import { Gate } from '../remote/gate';
import { SshWatch } from './ssh/sshWatch';
import type { SshRoom } from './ssh/sshWatch';
import { Sight } from './sight';
import { nodeTimers } from './timers';
import type { Timers } from './timers';
import { gpuTools } from './tools/registry';

/** The same as `copiedGpus`, in the window's chunk of GPUs, which has the readers of all tools. */
export const gpusIn = copiedGpus;

/** A login over several hops takes seconds; a list must not wait longer. */
const PATIENCE_MS = 8000;
/** A user who has just added a host waits for its result. */
const LOGIN_MS = 30_000;

export interface FleetOptions {
  /** Executables from the user's settings, by tool id. */
  readonly executables: Readonly<Record<string, string>>;
  readonly intervalMs: number;
  readonly ssh?: Partial<SshProgram>;
  readonly hosts?: readonly HostSpec[];
  /** How long a connection stays open after its last use; absent: the default. */
  readonly lingerMs?: number;
}

/** Free memory changes when programs start. */
const SIGHT_MS = 2000;

/** Simultaneous handshakes: servers refuse more from one address. */
const HANDSHAKES = 6;

/** A login is slow: a panel that is hidden and shown again reuses the connection. */
const LINGER_MS = 20_000;

/** Nothing starts before a watch is held or a query is made. */
export function openFleet(options: FleetOptions): OpenFleet {
  const { executables, intervalMs, ssh = {}, hosts = [], lingerMs = LINGER_MS } = options;
  const room = sshRoom(ssh, intervalMs, lingerMs);
  const fleet = new OpenFleet(new LocalWatch(openGpus(executables).machine(intervalMs)), spec =>
    watchOf(spec, room),
  );
  fleet.setHosts(hosts);
  return fleet;
}

/** This machine's GPUs for a queue that assigns them; they are read until it is disposed. */
export const openSight = (executables: Readonly<Record<string, string>>): Sight =>
  new Sight(openGpus(executables).machine(SIGHT_MS));

/** Shared by all SSH hosts. */
export function sshRoom(ssh: Partial<SshProgram>, intervalMs: number, lingerMs: number): SshRoom {
  return {
    program: { ...SSH_DEFAULTS, ...ssh },
    platform: process.platform,
    intervalMs,
    lingerMs,
    talk: nodeTalk,
    timers: nodeTimers,
    tools: gpuTools,
    gate: new Gate(HANDSHAKES),
    dice: () => Math.random(),
  };
}

function watchOf(spec: HostSpec, room: SshRoom): HostWatch {
  if (spec.kind === 'ssh') return new SshWatch(spec.alias, spec.name, room);
  if (spec.kind === 'slurm') {
    return spec.alias === 'local' ? localSlurm(spec.name) : loginSlurm(spec.alias, spec.name, room);
  }
  if (spec.kind === 'kubernetes') return kubernetesWatch(spec.context, spec);
  return spec.kind === 'metrics' ? metricsOf(spec, room.timers) : rayOf(spec, room.timers);
}

/** A missing token gives a host that reports the problem. */
function rayOf({ address, name, alias, tokenVariable }: RaySpec, timers: Timers): HostWatch {
  const ray = rayWatch({ address, name, tokenVariable, isOwn: true });
  if (ray.ok) return ray.watch;
  return silent({ id: `ray:${alias}`, kind: 'ray', name }, ray.why, RAY_INTERVAL_MS, timers);
}

function metricsOf({ address, name, alias }: MetricsSpec, timers: Timers): HostWatch {
  const metrics = metricsWatch(address, name);
  if (metrics.ok) return metrics.watch;
  return silent({ id: `metrics:${alias}`, kind: 'metrics', name }, metrics.why, METRICS_INTERVAL_MS, timers);
}

/** A host that only reports why it can't be asked. */
function silent(host: Host, message: string, intervalMs: number, timers: Timers): HostWatch {
  const answer = { ok: false, state: 'auth-needed', why: { message }, isFinal: true } as const;
  const cluster = { ask: () => Promise.resolve(answer), close: () => undefined };
  return new ClusterWatch(host, cluster, intervalMs, timers);
}

/** The fleet of a long-running program: this machine first, then the configured hosts. */
export class OpenFleet implements Fleet {
  readonly history: SampleHistory = new RingHistory();
  private readonly listeners = new Set<() => void>();
  /** Functions that unsubscribe from each watch, in the order of the hosts. */
  private forget = new Map<HostWatch, () => void>();
  /** Watches by their config: a host with a changed name is a new one. */
  private configured = new Map<string, HostWatch>();

  constructor(
    readonly local: LocalWatch,
    private readonly make: (spec: HostSpec) => HostWatch,
  ) {
    this.forget.set(local, this.remember(local));
  }

  watches(): readonly HostWatch[] {
    return [...this.forget.keys()];
  }

  onHosts(listener: () => void): () => void {
    const entry = () => listener();
    this.listeners.add(entry);
    return () => this.listeners.delete(entry);
  }

  /** Replaces the hosts: unchanged ones keep their connections. */
  setHosts(specs: readonly HostSpec[]): void {
    const before = this.configured;
    const after = specs.map(spec => {
      const key = JSON.stringify(spec);
      return [key, before.get(key) ?? this.make(spec)] as const;
    });
    const isSame = [...before.keys()].join() === after.map(([key]) => key).join();
    if (isSame) return;
    this.configured = new Map(after);
    const former = this.forget;
    const all = [this.local, ...this.configured.values()];
    this.forget = new Map(all.map(watch => [watch, former.get(watch) ?? this.remember(watch)]));
    for (const [watch, forget] of former) {
      if (this.forget.has(watch)) continue;
      forget();
      watch.dispose();
    }
    for (const listener of this.listeners) listener();
  }

  /** The GPUs of this machine; its tools run on the first call. */
  detection(): Promise<Detection> {
    return this.local.detection();
  }

  /** The GPUs of this machine as targets, with the memory that others hold as last read. */
  async targets(gpus: GpuSource): Promise<readonly Target[]> {
    const detection = await this.detection();
    const { samples } = this.local.reading;
    return presentTargets(samples.length === 0 ? detection : { ...detection, samples }, gpus);
  }

  /** Where a run could go now: this machine, hosts and clusters as last read. */
  async places(gpus: GpuSource): Promise<readonly Place[]> {
    const others = this.watches().filter(watch => watch !== this.local);
    return this.placesOf(
      others.map(({ reading }) => reading),
      gpus,
    );
  }

  /** The same, once all have answered, or after a few seconds. */
  async freshPlaces(gpus: GpuSource): Promise<readonly Place[]> {
    const others = this.watches().filter(watch => watch !== this.local);
    return this.placesOf(await askHosts(others, PATIENCE_MS, nodeTimers), gpus);
  }

  /** A host's reading once it has answered, or its current state after half a minute. */
  async ask(watch: HostWatch): Promise<HostReading> {
    const [reading] = await askHosts([watch], LOGIN_MS, nodeTimers);
    return reading ?? watch.reading;
  }

  private async placesOf(others: readonly HostReading[], gpus: GpuSource): Promise<readonly Place[]> {
    const here = machinePlaces('local', this.local.host, await this.targets(gpus), null);
    return [...here, ...hostPlaces(others, gpus)];
  }

  dispose(): void {
    this.listeners.clear();
    for (const watch of this.forget.keys()) watch.dispose();
    this.forget.clear();
  }

  /** Stores a watch's samples in the history. */
  private remember(watch: HostWatch): () => void {
    let last: HostReading['samples'] = [];
    return watch.on(({ samples }) => {
      if (samples !== last) this.history.add(watch.host.id, samples);
      last = samples;
    });
  }
}
