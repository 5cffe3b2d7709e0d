import type { Advice } from '../../core/advice/advice';
import type { Prediction } from '../../core/analyse/prediction';
import { Advisor } from '../../gpu/advisor';
import type { Fleet, HostReading, HostWatch } from '../../gpu/fleet';
import type { Timers } from '../../gpu/timers';
import { hostCard, hostTick } from './cards';
import type { FromPage, HostCard, PageCommand, ToPage } from './protocol';
import { seriesOf } from './buckets';
import { viewStateOf } from './viewState';
import type { ViewState } from './viewState';
import { WINDOWS } from './charted';
import type { Say } from '../../core/text/say';

const COMMANDS: readonly PageCommand[] = ['trust', 'chooseTarget', 'addHost', 'openExample', 'showLog'];
const MOST_DEVICES = 4096;

/** A message of the page; null if it is unknown. */
export function fromPage(message: unknown): FromPage | null {
  const { type, ...given } = (message ?? {}) as Readonly<Record<string, unknown>>;
  if (type === 'ready') return { type };
  if (type === 'view') return { type, view: viewStateOf(given['view']) };
  if (type === 'history') return historyRequest(given);
  if (type === 'retry' || type === 'terminal') {
    return typeof given['host'] === 'string' ? { type, host: given['host'] } : null;
  }
  if (type === 'copy') return { type, devices: idsOf(given['devices']) };
  if (type === 'command') {
    const command = COMMANDS.find(one => one === given['command']);
    return command === undefined ? null : { type, command };
  }
  const { device, rule } = given;
  const isFix = type === 'fix' && typeof device === 'string' && typeof rule === 'string';
  return isFix ? { type, device, rule } : null;
}

function historyRequest({ windowMs, devices }: Readonly<Record<string, unknown>>): FromPage | null {
  const window = WINDOWS.find(({ ms }) => ms === windowMs);
  return window === undefined ? null : { type: 'history', windowMs: window.ms, devices: idsOf(devices) };
}

function idsOf(given: unknown): readonly string[] {
  if (!Array.isArray(given)) return [];
  return given.filter(id => typeof id === 'string').slice(0, MOST_DEVICES);
}

/** Actions of the page that others carry out. */
export interface PageActions {
  keepView(view: ViewState): void;
  fix(advice: Advice): void;
  copy(hosts: readonly HostCard[]): void;
  /** Opens a terminal to a host, by its id. */
  terminal(host: string): void;
  command(command: PageCommand): void;
}

interface SessionOptions {
  /** Null in Restricted Mode, where nothing may be started. */
  readonly fleet: Fleet | null;
  readonly timers: Timers;
  readonly view: () => ViewState;
  readonly prediction: () => Prediction | null;
  readonly actions: PageActions;
  readonly post: (message: ToPage) => void;
  /** Says advice; absent: in English. */
  readonly say?: Say;
}

/** Readings of many hosts within this time are sent together. */
const GATHER_MS = 60;
const ADVICE_MS = 10_000;

/**
 * Serves one page while it is visible: requests readings of all hosts, sends updates to the page, and handles its
 * messages. Created when the page becomes visible and disposed when it is hidden.
 */
export class PanelSession {
  private readonly advisor: Advisor;
  private readonly advice = new Map<string, readonly Advice[]>();
  private readonly following = new Map<string, () => void>();
  /** What the page last received for each host, without values that change every second. */
  private readonly posted = new Map<string, string>();
  private readonly seen = new Map<string, HostReading>();
  private readonly ticked = new Set<string>();
  private ends: (() => void)[] = [];
  private gathering: (() => void) | null = null;
  private isReady = false;

  constructor(private readonly options: SessionOptions) {
    const { fleet } = options;
    this.advisor = new Advisor(options.say);
    if (fleet === null) return;
    this.ends.push(fleet.onHosts(() => this.meet()));
    this.meet();
    this.adviseLater();
  }

  dispose(): void {
    this.gathering?.();
    for (const end of [...this.ends.splice(0), ...this.following.values()]) end();
    this.following.clear();
  }

  /** Handles any message of the page. */
  receive(message: unknown): void {
    const request = fromPage(message);
    if (request) this.answer(request);
  }

  predicted(prediction: Prediction | null): void {
    if (this.isReady) this.options.post({ type: 'prediction', prediction });
  }

  /** Retries all hosts that do not answer. */
  retry(): void {
    for (const watch of this.watches()) if (watch.reading.status.state !== 'live') watch.retry();
  }

  cards(): readonly HostCard[] {
    return this.watches().map(({ reading }) => this.card(reading));
  }

  private answer(request: FromPage): void {
    const { actions } = this.options;
    if (request.type === 'ready') this.hydrate();
    else if (request.type === 'view') actions.keepView(request.view);
    else if (request.type === 'history') this.postHistory(request.windowMs, request.devices);
    else if (request.type === 'retry') this.watch(request.host)?.retry();
    else if (request.type === 'terminal') this.openTerminal(request.host);
    else if (request.type === 'fix') this.fix(request.device, request.rule);
    else if (request.type === 'copy') actions.copy(withDevices(this.cards(), request.devices));
    else actions.command(request.command);
  }

  private watch(id: string): HostWatch | null {
    return this.watches().find(({ host }) => host.id === id) ?? null;
  }

  /** Only to a known host. */
  private openTerminal(id: string): void {
    if (this.watch(id)) this.options.actions.terminal(id);
  }

  /** Uses the advice as it was given: a page cannot make one up. */
  private fix(device: string, rule: string): void {
    const advice = this.advice.get(device)?.find(one => one.rule === rule);
    if (advice) this.options.actions.fix(advice);
  }

  private watches(): readonly HostWatch[] {
    return this.options.fleet?.watches() ?? [];
  }

  private card(reading: HostReading): HostCard {
    return hostCard(reading, device => this.advice.get(device) ?? [], this.options.say);
  }

  private hydrate(): void {
    const { fleet, timers, view, prediction, post } = this.options;
    const hosts = this.cards();
    this.isReady = true;
    this.ticked.clear();
    this.posted.clear();
    for (const { host, reading } of this.watches()) this.remember(host.id, reading);
    const nothing = hosts.length === 0 ? 'none' : null;
    const absence = fleet === null ? 'restricted' : nothing;
    post({ type: 'hydrate', nowMs: timers.now(), view: view(), hosts, prediction: prediction(), absence });
  }

  /** Follows new hosts and releases removed ones. */
  private meet(): void {
    const watches = this.watches();
    const ids = new Set(watches.map(({ host }) => host.id));
    const gone = [...this.following.keys()].filter(id => !ids.has(id));
    for (const id of gone) {
      this.following.get(id)?.();
      this.following.delete(id);
      this.posted.delete(id);
      this.seen.delete(id);
    }
    if (gone.length > 0 && this.isReady) this.options.post({ type: 'gone', hosts: gone });
    for (const watch of watches) if (!this.following.has(watch.host.id)) this.follow(watch);
    if (this.isReady && watches.length === 0) this.hydrate();
  }

  private follow(watch: HostWatch): void {
    const { id } = watch.host;
    const unsubscribe = watch.on(reading => this.onReading(id, reading));
    const release = watch.hold();
    this.following.set(id, () => {
      unsubscribe();
      release();
    });
    this.onReading(id, watch.reading);
  }

  private onReading(id: string, reading: HostReading): void {
    this.advisor.note(id, reading, this.options.timers.now());
    this.ticked.add(id);
    this.gathering ??= this.options.timers.after(GATHER_MS, () => {
      this.gathering = null;
      this.flush();
    });
  }

  private flush(): void {
    if (!this.isReady) return;
    const { timers, post } = this.options;
    const tickedWatches = this.watches().filter(({ host }) => this.ticked.has(host.id));
    this.ticked.clear();
    const changed = tickedWatches.filter(({ host, reading }) => this.remember(host.id, reading));
    const nowMs = timers.now();
    if (changed.length > 0) {
      post({ type: 'hosts', nowMs, hosts: changed.map(({ reading }) => this.card(reading)) });
    }
    const ticks = tickedWatches.filter(
      ({ reading }) => reading.samples.length > 0 || reading.machine !== null,
    );
    if (ticks.length > 0) post({ type: 'tick', nowMs, hosts: ticks.map(({ reading }) => hostTick(reading)) });
  }

  /** Stores what the page received for a host; returns whether it changed. */
  private remember(id: string, reading: HostReading): boolean {
    const before = this.seen.get(id);
    this.seen.set(id, reading);
    if (before && this.posted.has(id) && isSame(before, reading)) return false;
    const { devices, status, capacities } = this.card(reading);
    const lasting = devices.map(device => ({ ...device, now: null }));
    const text = JSON.stringify([{ ...status, latencyMs: null }, capacities, lasting]);
    const isNews = this.posted.get(id) !== text;
    this.posted.set(id, text);
    return isNews;
  }

  private postHistory(windowMs: number, devices: readonly string[]): void {
    const { fleet, timers, post } = this.options;
    if (fleet === null) return;
    const nowMs = timers.now();
    const series = devices.map(id => [id, seriesOf(fleet.history, id, windowMs, nowMs)] as const);
    post({ type: 'history', nowMs, windowMs, series: Object.fromEntries(series) });
  }

  private adviseLater(): void {
    const cancel = this.options.timers.after(ADVICE_MS, () => {
      this.advise();
      this.ends = this.ends.filter(end => end !== cancel);
      this.adviseLater();
    });
    this.ends.push(cancel);
  }

  private advise(): void {
    const { fleet, timers } = this.options;
    if (fleet === null) return;
    const nowMs = timers.now();
    for (const { host, reading } of fleet.watches()) {
      const isLive = reading.status.state === 'live';
      for (const device of this.card(reading).devices) {
        const advice = isLive ? this.advisor.advise(host.id, device, fleet.history, nowMs) : [];
        const isNews = !isSameAdvice(this.advice.get(device.id) ?? [], advice);
        if (!isNews) continue;
        this.advice.set(device.id, advice);
        this.seen.delete(host.id);
        this.onReading(host.id, reading);
      }
    }
  }
}

/** Equal except for samples and machine load. */
const isSame = (a: HostReading, b: HostReading): boolean =>
  a.status === b.status &&
  a.devices === b.devices &&
  a.processes === b.processes &&
  a.capacities === b.capacities;

const isSameAdvice = (before: readonly Advice[], after: readonly Advice[]): boolean =>
  JSON.stringify(before) === JSON.stringify(after);

function withDevices(hosts: readonly HostCard[], ids: readonly string[]): readonly HostCard[] {
  const wanted = new Set(ids);
  return hosts
    .map(host => ({ ...host, devices: host.devices.filter(({ id }) => wanted.has(id)) }))
    .filter(({ devices }) => devices.length > 0);
}
