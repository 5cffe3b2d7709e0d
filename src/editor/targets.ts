import { EventEmitter } from 'vscode';
import type { ConfigurationScope, Event } from 'vscode';
import type { Place } from '../core/compare/place';
import type { Target } from '../core/hardware/gpu';
import type { GpuSource } from '../core/hardware/match';
import { Disposing } from '../host/disposables';
import { onSettings, setting } from '../host/settings';
import type { LoadCore } from './loading';

/** The available GPUs, here and in the catalog; extension.ts provides them. */
export interface Hardware {
  /** GPUs of this machine, equal ones as one target; empty if there are none or detection is not allowed. */
  present(): Promise<readonly Target[]>;
  /** All places, including hosts and clusters, as last read or, if `asked`, as they respond within some seconds. */
  places(requested: boolean): Promise<readonly Place[]>;
  /** GPUs in an output that the user copied, each with its value for the setting; empty if it is no such output. */
  copied(text: string): Promise<readonly { readonly target: Target; readonly value: string }[]>;
  readonly onDidChange: Event<void>;
  catalog(): Promise<GpuSource>;
}

/** The GPU that a file's runs are compared with, and how it was chosen. */
interface ChosenTarget {
  readonly target: Target | null;
  readonly by: 'setting' | 'machine' | 'nobody';
  /** A sentence about what is wrong with the setting; null if nothing is. */
  readonly problem: string | null;
}

/** The value of `headroom.target.gpu` that selects this machine's GPU. */
export const AUTOMATIC = 'auto';

/** Which GPU a config is compared with: the one in the settings, else this machine's. */
export class Targets extends Disposing {
  private readonly changed = this.store.add(new EventEmitter<void>());

  readonly onDidChange: Event<void> = this.changed.event;

  constructor(
    readonly hardware: Hardware,
    private readonly core: LoadCore,
  ) {
    super();
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
    const placed = place && { ...place.target, count: count ?? place.target.count };
    return { target: placed ?? target, by: 'setting', problem: null };
  }

  private async automatic(count: number | null): Promise<ChosenTarget> {
    const [first] = await this.hardware.present();
    if (!first) return { target: null, by: 'nobody', problem: null };
    return { target: { ...first, count: count ?? first.count }, by: 'machine', problem: null };
  }
}
