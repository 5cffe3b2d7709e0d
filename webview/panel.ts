import type { FromPage, ToPage } from '../src/panel/page/protocol';
import type { ViewState } from '../src/panel/page/viewState';
import { Announcer } from './announcer';
import { PINNED, arrange } from './arrange';
import type { Group } from './arrange';
import type { Drawing } from './charts';
import { DeviceView } from './deviceView';
import { DrawQueue } from './drawQueue';
import { el, order, setText, show } from './dom';
import { welcome } from './empty';
import { HostView } from './hostView';
import { Roving } from './roving';
import { Store } from './store';
import { onTheme } from './theme';
import { Toolbar } from './toolbar';
import { Visibility } from './visibility';
import { t } from './texts';

/** States in which the last readings are current. */
const CURRENT: readonly string[] = ['live', 'connecting'];

/** How often live values may change the order of the cards. */
const ARRANGE_MS = 10_000;

/** The page: renders the store, and draws only what is visible. */
export class Panel {
  private readonly store = new Store();
  private readonly hosts = new Map<string, HostView>();
  private readonly devices = new Map<string, DeviceView>();
  private readonly sections = el('div', 'hosts');
  private readonly nothing = el('p', 'nothing');
  private readonly empty = el('div');
  private readonly announcer = new Announcer();
  private readonly toolbar = new Toolbar(view => this.set(view));
  private readonly roving: Roving;
  private readonly visibility = new Visibility(id => this.appeared(id));
  private readonly lines = new DrawQueue(id => this.drawLines(id));
  private readonly wanted = new Set<string>();
  private arrangedMs = 0;

  constructor(
    root: HTMLElement,
    private readonly post: (message: FromPage) => void,
  ) {
    root.append(this.toolbar.element, this.empty, this.nothing, this.sections, this.announcer.element);
    this.sections.addEventListener('keydown', event => {
      if (event.key === '/' && !event.ctrlKey) {
        event.preventDefault();
        this.toolbar.focusFilter();
      }
    });
    this.roving = new Roving(this.sections, '.card');
    show(this.toolbar.element, false);
    onTheme(() => this.redo());
  }

  receive(message: ToPage): void {
    const change = this.store.apply(message);
    this.announcer.hosts(this.store.turns);
    const isDue = change.ticked.length > 0 && this.isOrderDue();
    if (change.structure || isDue || change.hosts.length > 0) this.arrange();
    if (change.prediction) this.toolbar.update(this.store.view, this.store.prediction);
    if (change.structure || change.prediction) this.drawAll();
    else this.drawSome(change.ticked, change.history);
  }

  private set(view: Partial<ViewState>): void {
    const before = this.store.view;
    this.store.setView(view);
    this.post({ type: 'view', view: this.store.view });
    this.arrange();
    if (view.filter !== undefined && view.filter !== before.filter) this.announceCount();
    if (view.windowMs !== undefined) this.appearedAgain();
    this.drawAll();
  }

  private toggle(list: 'collapsed' | 'pinned' | 'opened', id: string): void {
    this.store.toggle(list, id);
    this.set({});
    if (list === 'pinned') this.devices.get(id)?.element.focus();
  }

  private announceCount(): void {
    const { shown, total } = this.arrangement();
    this.announcer.announce(`${shown} of ${total} GPUs shown`);
  }

  private arrangement() {
    const { hosts, latest, view } = this.store;
    return arrange(hosts.values(), latest, view);
  }

  /** Whether to sort by live values now; never while the user works with the cards. */
  private isOrderDue(): boolean {
    const { view, nowMs } = this.store;
    const isLive = view.sort !== 'index' && view.sort !== 'name';
    const isBusy = this.sections.matches(':focus-within, :hover');
    return isLive && !isBusy && (nowMs ?? 0) - this.arrangedMs >= ARRANGE_MS;
  }

  /** Creates, moves and removes sections and cards. */
  private arrange(): void {
    const { store } = this;
    this.arrangedMs = store.nowMs ?? 0;
    const { groups, shown, total } = this.arrangement();
    const focused = document.activeElement;
    order(
      this.sections,
      groups.map(group => this.section(group)),
    );
    this.removeGone();
    if (focused instanceof HTMLElement && focused.isConnected && focused !== document.activeElement) {
      focused.focus();
    }
    const greeting = welcome(store, command => this.post({ type: 'command', command }));
    order(this.empty, greeting ? [greeting] : []);
    show(this.sections, greeting === null);
    show(this.toolbar.element, greeting === null && (total > 0 || store.prediction !== null));
    setText(this.nothing, this.nothingText(groups.length));
    show(this.nothing, greeting === null && this.nothing.textContent !== '');
    this.toolbar.update(store.view, store.prediction);
    this.toolbar.counted(shown, total);
    this.roving.refresh();
  }

  private nothingText(groups: number): string {
    if (groups > 0) return '';
    return this.store.hosts.size > 0 ? t('No GPU matches the filter.') : t('Looking for GPUs …');
  }

  private section({ id, host, devices, isFolded }: Group): HTMLElement {
    const view = this.hostView(id);
    if (host === null) view.updateAsTop();
    else view.update(host, isFolded, this.store.nowMs ?? 0);
    if (host !== null) view.write(this.store.machines.get(id) ?? null, host, this.store.nowMs ?? 0);
    const cards = devices.map(device => {
      const { element } = this.deviceView(device.id, id === PINNED);
      return element;
    });
    order(view.cards, cards);
    return view.element;
  }

  private hostView(id: string): HostView {
    const existing = this.hosts.get(id);
    if (existing) return existing;
    const view = new HostView(id, {
      toggleHost: host => this.toggle('collapsed', host),
      retry: host => this.post({ type: 'retry', host }),
      terminal: host => this.post({ type: 'terminal', host }),
    });
    this.hosts.set(id, view);
    return view;
  }

  private deviceView(id: string, isTop: boolean): DeviceView {
    const { store } = this;
    const device = store.devices.get(id);
    if (!device) throw new RangeError(`No device ${id}`);
    const view = this.devices.get(id) ?? this.newDeviceView(id, device);
    const { collapsed, pinned, opened } = store.view;
    view.update(device, {
      isFolded: collapsed.includes(id),
      isPinned: pinned.includes(id),
      isOpened: opened.includes(id),
      hostName: isTop ? (this.store.hostOf(id)?.name ?? null) : null,
    });
    return view;
  }

  private newDeviceView(id: string, device: ConstructorParameters<typeof DeviceView>[0]): DeviceView {
    const view = new DeviceView(device, {
      toggle: (list, one) => this.toggle(list, one),
      copy: one => this.copy(one),
      fix: (one, advice) => {
        if (advice.fix !== 'processes') this.post({ type: 'fix', device: one, rule: advice.rule });
        else if (!this.store.view.opened.includes(one)) this.toggle('opened', one);
      },
    });
    this.devices.set(id, view);
    this.visibility.watch(id, view.element);
    return view;
  }

  private copy(id: string): void {
    this.post({ type: 'copy', devices: [id] });
    this.announcer.announce(t('Copied'));
  }

  private removeGone(): void {
    for (const [id, { element }] of this.devices) {
      if (this.store.devices.has(id)) continue;
      this.visibility.forget(id, element);
      this.lines.forget(id);
      this.devices.delete(id);
      this.wanted.delete(id);
    }
    for (const id of this.hosts.keys()) if (id !== PINNED && !this.store.hosts.has(id)) this.hosts.delete(id);
  }

  private drawAll(): void {
    for (const id of this.devices.keys()) this.drawDevice(id);
  }

  private drawSome(hosts: readonly string[], devices: readonly string[]): void {
    for (const id of hosts) {
      const host = this.store.hosts.get(id);
      if (!host) continue;
      this.hosts.get(id)?.write(this.store.machines.get(id) ?? null, host, this.store.nowMs ?? 0);
      for (const device of host.devices) this.drawDevice(device.id);
    }
    for (const id of devices) this.drawDevice(id);
  }

  /** Only visible cards are updated: text at once, lines in the next frames. */
  private drawDevice(id: string): void {
    const drawing = this.drawing(id);
    if (!drawing || !this.visibility.isSeen(id)) return;
    this.devices.get(id)?.write(drawing);
    this.lines.add(id);
  }

  private drawLines(id: string): void {
    const drawing = this.drawing(id);
    if (drawing && this.visibility.isSeen(id)) this.devices.get(id)?.draw(drawing);
  }

  private drawing(id: string): Drawing | null {
    const { devices, latest, series, prediction, nowMs, view } = this.store;
    const device = devices.get(id);
    if (!device) return null;
    const state = this.store.hostOf(id)?.status.state ?? 'idle';
    return {
      device,
      now: latest.get(id) ?? null,
      points: series.get(id) ?? null,
      prediction,
      nowMs: nowMs ?? 0,
      windowMs: view.windowMs,
      isOld: !CURRENT.includes(state),
    };
  }

  /** A card became visible: requests its history once. */
  private appeared(id: string): void {
    this.want([id]);
    this.drawDevice(id);
  }

  /** The time window changed: requests the history of all visible cards again. */
  private appearedAgain(): void {
    this.want([...this.devices.keys()].filter(id => this.visibility.isSeen(id)));
  }

  /** Requests the history of several devices at once. */
  private want(ids: readonly string[]): void {
    if (this.wanted.size === 0) queueMicrotask(() => this.ask());
    for (const id of ids) if (!this.store.series.has(id)) this.wanted.add(id);
  }

  private ask(): void {
    const devices = [...this.wanted];
    this.wanted.clear();
    if (devices.length > 0) this.post({ type: 'history', windowMs: this.store.view.windowMs, devices });
  }

  private redo(): void {
    for (const view of this.devices.values()) view.redo();
    this.drawAll();
  }
}
