import { l10n, MarkdownString, StatusBarAlignment, ThemeColor, window } from 'vscode';
import type { StatusBarItem } from 'vscode';
import type { GpuDevice } from '../gpu/device';
import type { GpuSample } from '../gpu/sample';
import type { Sampler } from '../gpu/sampler';
import { commandLink } from '../host/commands';
import type { CommandId } from '../host/commands';
import { DisposableStore } from '../host/disposables';
import type { Disposable } from '../host/disposables';
import { onSettings, setting } from '../host/settings';
import { whileOn } from '../host/whileOn';
import type { MachineGpus } from './machineGpus';
import { meterView } from './meterView';
import type { MeterView } from './meterView';

const COMMAND: CommandId = 'headroom.chooseTarget';
/** Left of the language's own items, right of source control. */
const PRIORITY = 50;
const SECOND = 1000;
const LEAST_SECONDS = 1;
const MOST_SECONDS = 60;

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
    this.store.add(onSettings(['meter.intervalSeconds'], () => this.restart()));
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
    const detection = await this.gpus.detection();
    const sampler = await this.gpus.sampler(intervalMs());
    if (turn !== this.starts || !detection) return;
    const { devices, samples, error } = detection;
    if (sampler && devices.length > 0) {
      this.reading = new Reading(sampler, devices, samples, view => this.show(view));
      this.reading.pay(window.state.focused);
    } else if (error && error.kind !== 'no-devices') {
      this.show(meterView([], [], { kind: 'failing', error, nextTryMs: 0 }));
    }
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

/** One sampler and what was last read with it. */
class Reading implements Disposable {
  private release: (() => void) | null = null;

  constructor(
    private readonly sampler: Sampler,
    private readonly devices: readonly GpuDevice[],
    private samples: readonly GpuSample[],
    private readonly show: (view: MeterView) => void,
  ) {
    sampler.on({
      samples: samples => {
        this.samples = samples;
        this.tell();
      },
      state: state => {
        if (state.kind === 'asleep' || state.kind === 'failing') this.tell();
      },
    });
    this.tell();
  }

  /** Reads on while somebody looks. */
  pay(attention: boolean): void {
    if (attention) this.release ??= this.sampler.hold();
    else this.rest();
  }

  dispose(): void {
    this.rest();
    this.sampler.dispose();
  }

  private rest(): void {
    this.release?.();
    this.release = null;
  }

  private tell(): void {
    this.show(meterView(this.devices, this.samples, this.sampler.state));
  }
}

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

function intervalMs(): number {
  const seconds = setting('meter.intervalSeconds');
  return Math.min(MOST_SECONDS, Math.max(LEAST_SECONDS, seconds)) * SECOND;
}
