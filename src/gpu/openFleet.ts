import { machinePlaces } from '../core/compare/place';
import type { Place } from '../core/compare/place';
import type { Target } from '../core/hardware/gpu';
import type { GpuSource } from '../core/hardware/match';
import type { Detection } from './detect';
import type { Fleet, HostReading, HostWatch, SampleHistory } from './fleet';
import { localSlurm, loginSlurm, RAY_INTERVAL_MS, rayWatch } from './clusters';
import { ClusterWatch } from './clusterWatch';
import { RingHistory } from './history';
import type { HostSpec, RaySpec } from './hosts';
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

/** A login over several hops takes seconds; who waits for a list does not want to wait for longer. */
const PATIENCE_MS = 8000;
/** Who has just added a host wants to know how it stands with it. */
const LOGIN_MS = 30_000;

export interface FleetOptions {
  /** Executables that the user has set, by tool id. */
  readonly executables: Readonly<Record<string, string>>;
  readonly intervalMs: number;
  readonly ssh?: Partial<SshProgram>;
  readonly hosts?: readonly HostSpec[];
  /** How long a connection outlasts the last look at it; absent: a while. */
  readonly lingerMs?: number;
}

/** What is free changes when programs start. */
const SIGHT_MS = 2000;

/** Handshakes at the same time: more from one address, and servers begin to refuse them. */
const HANDSHAKES = 6;

/** A login is dear: a panel that is hidden and shown again finds it still there. */
const LINGER_MS = 20_000;

/** Nothing starts before a watch is held or something is asked. */
export function openFleet(options: FleetOptions): OpenFleet {
  const { executables, intervalMs, ssh = {}, hosts = [], lingerMs = LINGER_MS } = options;
  const room = sshRoom(ssh, intervalMs, lingerMs);
  const fleet = new OpenFleet(new LocalWatch(openGpus(executables).machine(intervalMs)), spec =>
    watchOf(spec, room),
  );
  fleet.setHosts(hosts);
  return fleet;
}

/** This machine's GPUs for a queue that assigns them; they are read until it is disposed of. */
export const openSight = (executables: Readonly<Record<string, string>>): Sight =>
  new Sight(openGpus(executables).machine(SIGHT_MS));

/** What SSH hosts share. */
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
  return rayOf(spec, room.timers);
}

/** A token that cannot be had leaves a host that says so. */
function rayOf({ address, name, alias, tokenVariable }: RaySpec, timers: Timers): HostWatch {
  const ray = rayWatch({ address, name, tokenVariable, isOwn: true });
  if (ray.ok) return ray.watch;
  const answer = { ok: false, state: 'auth-needed', why: { message: ray.why }, isFinal: true } as const;
  const cluster = { ask: () => Promise.resolve(answer), close: () => undefined };
  return new ClusterWatch({ id: `ray:${alias}`, kind: 'ray', name }, cluster, RAY_INTERVAL_MS, timers);
}

/** The fleet of a program that stays: this machine first, then the hosts that were configured. */
export class OpenFleet implements Fleet {
  readonly history: SampleHistory = new RingHistory();
  private readonly listeners = new Set<() => void>();
  /** What ends the hearing of each watch, in the order of the hosts. */
  private forget = new Map<HostWatch, () => void>();
  /** By what was configured: a host that only changed its name is another. */
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

  /** Other hosts than before: those that stay keep their connections. */
  setHosts(specs: readonly HostSpec[]): void {
    const before = this.configured;
    const after = specs.map(spec => {
      const key = JSON.stringify(spec);
      return [key, before.get(key) ?? this.make(spec)] as const;
    });
    const isSame = [...before.keys()].join() === after.map(([key]) => key).join();
    if (isSame) return;
    this.configured = new Map(after);
    const heard = this.forget;
    const all = [this.local, ...this.configured.values()];
    this.forget = new Map(all.map(watch => [watch, heard.get(watch) ?? this.remember(watch)]));
    for (const [watch, forget] of heard) {
      if (this.forget.has(watch)) continue;
      forget();
      watch.dispose();
    }
    for (const listener of this.listeners) listener();
  }

  /** The GPUs of this machine; its tools are asked when someone first wants to know. */
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

  /** The same, once all have answered, or a few seconds have gone. */
  async askedPlaces(gpus: GpuSource): Promise<readonly Place[]> {
    const others = this.watches().filter(watch => watch !== this.local);
    return this.placesOf(await askHosts(others, PATIENCE_MS, nodeTimers), gpus);
  }

  /** A host once it has answered, or as it stands when half a minute has gone. */
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

  /** Keeps what a watch reads. */
  private remember(watch: HostWatch): () => void {
    let last: HostReading['samples'] = [];
    return watch.on(({ samples }) => {
      if (samples !== last) this.history.add(watch.host.id, samples);
      last = samples;
    });
  }
}
