import type { Prediction } from '../src/core/analyse/prediction';
import { Buckets } from '../src/panel/page/buckets';
import type {
  Absence,
  DeviceCard,
  DeviceNow,
  DeviceSeries,
  HostCard,
  HostTick,
  State,
  ToPage,
} from '../src/panel/page/protocol';
import { DEFAULT_VIEW } from '../src/panel/page/viewState';
import type { ViewState } from '../src/panel/page/viewState';

/** What a message changed, and so what to redraw. */
interface Change {
  /** Hosts or devices were added or removed, or everything may have changed. */
  readonly structure: boolean;
  /** Hosts with a change in values that rarely change. */
  readonly hosts: readonly string[];
  /** Hosts with new readings. */
  readonly ticked: readonly string[];
  /** Devices whose history has arrived. */
  readonly history: readonly string[];
  readonly prediction: boolean;
}

const NO_CHANGE: Change = { structure: false, hosts: [], ticked: [], history: [], prediction: false };

/** A host's change of state, for screen readers. */
export interface Turn {
  readonly host: HostCard;
  readonly from: State;
}

/** Everything the page knows. The extension owns it; this is a copy. */
export class Store {
  readonly hosts = new Map<string, HostCard>();
  readonly devices = new Map<string, DeviceCard>();
  /** The host of each device. */
  readonly owners = new Map<string, string>();
  readonly latest = new Map<string, DeviceNow>();
  readonly machines = new Map<string, HostTick['machine']>();
  readonly series = new Map<string, Buckets>();
  view: ViewState = DEFAULT_VIEW;
  prediction: Prediction | null = null;
  absence: Absence | null = null;
  /** Null: no message from the extension yet. */
  nowMs: number | null = null;
  /** Hosts whose state changed with the last message. */
  turns: readonly Turn[] = [];

  apply(message: ToPage): Change {
    this.turns = [];
    if ('nowMs' in message) this.nowMs = message.nowMs;
    switch (message.type) {
      case 'hydrate':
        return this.hydrate(message);
      case 'hosts':
        return this.takeHosts(message.hosts);
      case 'gone':
        for (const id of message.hosts) this.forget(id);
        return { ...NO_CHANGE, structure: true };
      case 'tick':
        for (const tick of message.hosts) this.take(tick);
        return { ...NO_CHANGE, ticked: message.hosts.map(({ id }) => id) };
      case 'history':
        return this.takeHistory(message.windowMs, message.series);
      case 'prediction':
        this.prediction = message.prediction;
        return { ...NO_CHANGE, prediction: true };
    }
  }

  hostOf(device: string): HostCard | null {
    return this.hosts.get(this.owners.get(device) ?? '') ?? null;
  }

  /** Changes the user's view; another time window needs another history. */
  setView(change: Partial<ViewState>): void {
    const before = this.view.windowMs;
    this.view = { ...this.view, ...change };
    if (this.view.windowMs !== before) this.series.clear();
  }

  /** Adds an id to a list of the view, or removes it. */
  toggle(list: 'collapsed' | 'pinned' | 'opened', id: string): boolean {
    const ids = this.view[list];
    const isIn = ids.includes(id);
    this.setView({ [list]: isIn ? ids.filter(one => one !== id) : [...ids, id] });
    return !isIn;
  }

  private hydrate(message: Extract<ToPage, { type: 'hydrate' }>): Change {
    for (const id of [...this.hosts.keys()]) this.forget(id);
    this.series.clear();
    this.view = message.view;
    this.prediction = message.prediction;
    this.absence = message.absence;
    for (const host of message.hosts) this.put(host);
    return { ...NO_CHANGE, structure: true, prediction: true };
  }

  private takeHosts(hosts: readonly HostCard[]): Change {
    const turns: Turn[] = [];
    let structure = false;
    for (const host of hosts) {
      const before = this.hosts.get(host.id);
      structure ||= before === undefined || idsOf(before) !== idsOf(host);
      if (before && before.status.state !== host.status.state) {
        turns.push({ host, from: before.status.state });
      }
      this.put(host);
    }
    this.absence = null;
    this.turns = turns;
    return { ...NO_CHANGE, structure, hosts: hosts.map(({ id }) => id) };
  }

  private put(host: HostCard): void {
    const ids = new Set(host.devices.map(({ id }) => id));
    for (const { id } of this.hosts.get(host.id)?.devices ?? []) if (!ids.has(id)) this.forgetDevice(id);
    this.hosts.set(host.id, host);
    this.machines.set(host.id, host.machine);
    for (const device of host.devices) {
      this.devices.set(device.id, device);
      this.owners.set(device.id, host.id);
      if (device.now) this.latest.set(device.id, device.now);
    }
  }

  private forget(hostId: string): void {
    for (const { id } of this.hosts.get(hostId)?.devices ?? []) this.forgetDevice(id);
    this.hosts.delete(hostId);
    this.machines.delete(hostId);
  }

  private forgetDevice(id: string): void {
    this.devices.delete(id);
    this.owners.delete(id);
    this.latest.delete(id);
    this.series.delete(id);
  }

  private take({ id: hostId, machine, now }: HostTick): void {
    this.machines.set(hostId, machine);
    for (const [id, reading] of Object.entries(now)) {
      this.latest.set(id, reading);
      const { memoryUsedMiB, utilPct, tempC, powerW, atMs } = reading;
      this.series.get(id)?.add(atMs, {
        memoryUsedMiB: memoryUsedMiB ?? NaN,
        utilPct: utilPct ?? NaN,
        tempC: tempC ?? NaN,
        powerW: powerW ?? NaN,
      });
    }
  }

  private takeHistory(windowMs: number, series: Readonly<Record<string, DeviceSeries>>): Change {
    // A reply for a time window that is no longer shown.
    if (windowMs !== this.view.windowMs) return NO_CHANGE;
    for (const [id, { timesMs, columns }] of Object.entries(series)) {
      const buckets = new Buckets(windowMs);
      buckets.load(timesMs, columns);
      this.series.set(id, buckets);
    }
    return { ...NO_CHANGE, history: Object.keys(series) };
  }
}

const idsOf = ({ devices }: HostCard): string => devices.map(({ id }) => id).join('\n');
