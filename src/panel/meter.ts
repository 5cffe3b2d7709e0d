import { l10n, StatusBarAlignment, ThemeColor, window } from 'vscode';
import type { MarkdownString, StatusBarItem } from 'vscode';
import { mdText, mdJoined } from '../core/text/markdown';
import type { Detection } from '../gpu/detect';
import type { HostWatch } from '../gpu/fleet';
import type { OpenFleet } from '../gpu/openFleet';
import type { CommandId } from '../host/commands';
import { DisposableStore } from '../host/disposables';
import type { Disposable } from '../host/disposables';
import { link, markdownView } from '../host/markdown';
import { onSettings, setting, whileOn } from '../host/settings';
import type { MachineGpus } from './machineGpus';
import { MeterReading } from './meterReading';
import { say } from '../host/say';
import type { MeterView } from './meterView';

const COMMAND: CommandId = 'headroom.showPanel';
const LINKED: readonly CommandId[] = [COMMAND, 'headroom.chooseTarget', 'headroom.chooseMeterGpu'];
/** To the left of the language items, to the right of source control. */
const PRIORITY = 50;

/** The GPU meter in the status bar, while it is switched on. */
export function registerMeter(gpus: MachineGpus): Disposable {
  return whileOn('meter.enabled', () => new Meter(gpus));
}

/** Reads while the window has focus; hidden if there is no GPU to read. */
class Meter implements Disposable {
  private readonly store = new DisposableStore();
  private readonly item = this.store.add(makeItem());
  private reading: MeterReading | null = null;
  private stopListening: () => void = () => undefined;
  /** Counts starts, to ignore results of an earlier one. */
  private starts = 0;

  constructor(private readonly gpus: MachineGpus) {
    this.store.add(gpus.onDidChange(() => this.restart()));
    this.store.add(onSettings(['meter.gpu'], () => this.restart()));
    this.store.add(onSettings(['meter.format'], () => this.reading?.update()));
    this.store.add(window.onDidChangeWindowState(({ focused }) => this.reading?.pay(focused)));
    this.restart();
  }

  dispose(): void {
    this.stop();
    this.store.dispose();
  }

  private stop(): void {
    this.starts++;
    this.stopListening();
    this.reading?.dispose();
    this.reading = null;
  }

  private restart(): void {
    this.stop();
    this.item.hide();
    void this.start(this.starts);
  }

  private async start(turn: number): Promise<void> {
    const fleet = await this.gpus.fleet();
    const detection = await fleet?.detection();
    if (turn !== this.starts || !fleet || !detection) return;
    this.stopListening = fleet.onHosts(() => this.restart());
    const watched = watchedOf(fleet, detection, setting('meter.gpu').trim());
    if (watched.length === 0) return;
    // Machines without a GPU never load it.
    const { meterView } = await import('./meterView');
    if (turn !== this.starts) return;
    this.reading = new MeterReading(watched, fleet.watches(), readings =>
      this.show(meterView(readings, this.look(), say)),
    );
    this.reading.pay(window.state.focused);
  }

  private look(): { readonly gpu: string; readonly format: string } {
    return { gpu: setting('meter.gpu').trim(), format: setting('meter.format') };
  }

  private show(view: MeterView): void {
    const { item } = this;
    item.text = view.text;
    item.tooltip = tooltip(view);
    item.accessibilityInformation = { label: view.label };
    const background = view.severity === 'none' ? undefined : `statusBarItem.${view.severity}Background`;
    item.backgroundColor = background === undefined ? undefined : new ThemeColor(background);
    item.show();
  }
}

/**
 * The machines that the meter reads itself: this one, and the host of a chosen GPU; all hosts if this machine has
 * no GPU. Others are shown while the panel reads them.
 */
function watchedOf(fleet: OpenFleet, detection: Detection, gpu: string): readonly HostWatch[] {
  const { source, devices, error } = detection;
  const isMute = source === null || devices.length === 0;
  const isQuiet = isMute && (error === null || error.kind === 'no-devices');
  const others = fleet.watches().filter(watch => watch !== fleet.local);
  const chosen = others.filter(({ host, reading }) => {
    const hasIt = reading.devices.some(({ uuid }) => uuid !== null && uuid === gpu);
    return gpu.startsWith(`${host.id}/`) || hasIt;
  });
  if (!isQuiet) return [fleet.local, ...chosen];
  return chosen.length > 0 ? chosen : others;
}

function makeItem(): StatusBarItem {
  const item = window.createStatusBarItem('headroom.meter', StatusBarAlignment.Left, PRIORITY);
  item.name = l10n.t('GPU Meter');
  item.command = COMMAND;
  return item;
}

function tooltip(view: MeterView): MarkdownString {
  const links = [
    link(l10n.t('Show GPU Panel'), COMMAND),
    link(l10n.t('Choose Target GPU'), 'headroom.chooseTarget'),
    link(l10n.t('Choose Status Bar GPU'), 'headroom.chooseMeterGpu'),
  ];
  return markdownView(mdText`${view.tooltip}\n\n${mdJoined(links, ' · ')}`, LINKED);
}
