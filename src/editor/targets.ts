import { EventEmitter } from 'vscode';
import type { ConfigurationScope, Event } from 'vscode';
import type { Place } from '../core/compare/place';
import type { Target } from '../core/hardware/gpu';
import type { GpuSource } from '../core/hardware/match';
import { DisposableStore } from '../host/disposables';
import type { Disposable } from '../host/disposables';
import { onSettings, setting } from '../host/settings';
import type { LoadCore } from './services';

/** The GPUs that there are, here and in the catalog; extension.ts knows where from. */
export interface Hardware {
  /** GPUs of this machine, equal ones as one target; empty when there are none or no one may look. */
  present(): Promise<readonly Target[]>;
  /** All there is, hosts and clusters too, as last read or, `asked`, as they answer within some seconds. */
  places(asked: boolean): Promise<readonly Place[]>;
  readonly onDidChange: Event<void>;
  catalog(): Promise<GpuSource>;
}

/** The GPU that a file's runs are judged against, and how it was chosen. */
export interface ChosenTarget {
  readonly target: Target | null;
  readonly by: 'setting' | 'machine' | 'nobody';
  /** What is wrong with the setting: a sentence. */
  readonly problem: string | null;
}

/** `headroom.target.gpu` says so, to take the GPU of this machine. */
export const AUTOMATIC = 'auto';

/** Which GPU a config is judged against: the one chosen in the settings, else the one that is here. */
export class Targets implements Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new EventEmitter<void>());

  readonly onDidChange: Event<void> = this.changed.event;

  constructor(
    readonly hardware: Hardware,
    private readonly core: LoadCore,
  ) {
    this.store.add(onSettings(['target.gpu', 'target.gpuCount'], () => this.changed.fire()));
    this.store.add(hardware.onDidChange(() => this.changed.fire()));
  }

  async for(scope: ConfigurationScope | undefined): Promise<ChosenTarget> {
    const name = setting('target.gpu', scope).trim();
    const count = setting('target.gpuCount', scope);
    if (name === '' || name === AUTOMATIC) return this.automatic(count);
    const [core, gpus] = await Promise.all([this.core(), this.hardware.catalog()]);
    const choice = core.choiceOf(name);
    const reading = core.parseTarget(choice.gpu, gpus, { count, nodes: 1 });
    if (!reading.ok) return { target: null, by: 'setting', problem: reading.why };
    const { target } = reading;
    const place =
      choice.where === null ? null : core.chosenPlace(choice, target, await this.hardware.places(false));
    const there = place && { ...place.target, count: count ?? place.target.count };
    return { target: there ?? target, by: 'setting', problem: null };
  }

  dispose(): void {
    this.store.dispose();
  }

  private async automatic(count: number | null): Promise<ChosenTarget> {
    const [first] = await this.hardware.present();
    if (!first) return { target: null, by: 'nobody', problem: null };
    return { target: { ...first, count: count ?? first.count }, by: 'machine', problem: null };
  }
}
