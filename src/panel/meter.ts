import { l10n, MarkdownString, StatusBarAlignment, ThemeColor, window } from 'vscode';
import type { StatusBarItem } from 'vscode';
import type { HostReading, HostWatch } from '../gpu/fleet';
import { commandLink } from '../host/commands';
import type { CommandId } from '../host/commands';
import { DisposableStore } from '../host/disposables';
import type { Disposable } from '../host/disposables';
import { whileOn } from '../host/whileOn';
import type { MachineGpus } from './machineGpus';
import { meterView } from './meterView';
import type { MeterView } from './meterView';

const COMMAND: CommandId = 'headroom.chooseTarget';
/** Left of the language's own items, right of source control. */
const PRIORITY = 50;

/** The GPU meter in the status bar, while it is switched on. */
export function registerMeter(gpus: MachineGpus): Disposable {
  return whileOn('meter.enabled', () => new Meter(gpus));
}

/** Reads while the window has the focus; shows nothing where there is no GPU to be read. */
class Meter implements Disposable {
  private readonly store = new DisposableStore();
  private readonly item = this.store.add(makeItem());
  private reading: Reading | null = null;
  /** Counts the starts: what belongs to an earlier one comes too late. */
  private starts = 0;

  constructor(private readonly gpus: MachineGpus) {
    this.store.add(gpus.onDidChange(() => this.restart()));
    this.store.add(window.onDidChangeWindowState(({ focused }) => this.reading?.pay(focused)));
    this.restart();
  }

  dispose(): void {
    this.starts++;
    this.reading?.dispose();
    this.store.dispose();
  }

  private restart(): void {
    this.reading?.dispose();
    this.reading = null;
    this.item.hide();
    void this.start(++this.starts);
  }

  private async start(turn: number): Promise<void> {
    const fleet = await this.gpus.fleet();
    const detection = await fleet?.detection();
    if (turn !== this.starts || !fleet || !detection) return;
    const { source, devices, error } = detection;
    const isMute = source === null || devices.length === 0;
    if (isMute && (error === null || error.kind === 'no-devices')) return;
    this.reading = new Reading(fleet.local, reading => this.show(meterView(reading)));
    this.reading.pay(window.state.focused);
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

/** This machine as it is read while somebody looks. */
class Reading implements Disposable {
  private readonly unhear: () => void;
  private release: (() => void) | null = null;

  constructor(
    private readonly watch: HostWatch,
    show: (reading: HostReading) => void,
  ) {
    this.unhear = watch.on(reading => {
      if (isTelling(reading)) show(reading);
    });
  }

  /** Reads on while somebody looks. */
  pay(attention: boolean): void {
    if (attention) this.release ??= this.watch.hold();
    else this.rest();
  }

  dispose(): void {
    this.unhear();
    this.rest();
  }

  private rest(): void {
    this.release?.();
    this.release = null;
  }
}

/** While it begins or pauses, what was shown stays. */
const isTelling = ({ status: { state }, devices }: HostReading): boolean =>
  state !== 'idle' && (state !== 'connecting' || devices.length > 0);

function makeItem(): StatusBarItem {
  const item = window.createStatusBarItem('headroom.meter', StatusBarAlignment.Left, PRIORITY);
  item.name = l10n.t('GPU Meter');
  item.command = COMMAND;
  return item;
}

function tooltip(view: MeterView): MarkdownString {
  const links = `[${l10n.t('Choose Target GPU')}](${commandLink(COMMAND)})`;
  const markdown = new MarkdownString(`${view.tooltip}\n\n${links}`);
  markdown.isTrusted = { enabledCommands: [COMMAND] };
  return markdown;
}
