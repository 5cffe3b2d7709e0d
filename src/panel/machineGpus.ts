import { EventEmitter } from 'vscode';
import type { Event } from 'vscode';
import type { Place } from '../core/compare/place';
import type { Target } from '../core/hardware/gpu';
import type { GpuSource } from '../core/hardware/match';
import type { Detection } from '../gpu/detect';
import { readHosts } from '../gpu/hosts';
import type { HostSpec } from '../gpu/hosts';
import type { FleetOptions, OpenFleet } from '../gpu/openFleet';
import { setContextKey } from '../host/commands';
import { DisposableStore } from '../host/disposables';
import type { Disposable } from '../host/disposables';
import type { Log } from '../host/log';
import { onSettings, setting } from '../host/settings';
import type { SettingKey } from '../host/settings';
import { isTrusted, onTrustGranted } from '../host/trust';

/** Loads the code that starts GPU tools. */
type OpenHosts = (options: FleetOptions) => Promise<OpenFleet>;

const SECOND = 1000;
const LEAST_SECONDS = 1;
const MOST_SECONDS = 60;

/** Settings whose change recreates the fleet. */
const ANEW: readonly SettingKey[] = ['nvidiaSmi.path', 'meter.intervalSeconds', 'ssh.path', 'ssh.configFile'];

/**
 * The fleet of this window, which the meter and the panel share: created on first use, and again when trust is
 * granted or a tool's path or the interval changes; added and removed hosts only update it. In Restricted Mode
 * nothing is started and there is no fleet.
 */
export class MachineGpus implements Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new EventEmitter<void>());
  private opened: Promise<OpenFleet | null> | null = null;
  private isDisposed = false;

  readonly onDidChange: Event<void> = this.changed.event;

  constructor(
    private readonly open: OpenHosts,
    private readonly log: Log,
  ) {
    this.store.add(onTrustGranted(() => this.forget()));
    this.store.add(onSettings(ANEW, () => this.forget()));
    this.store.add(onSettings(['hosts'], () => void this.followHosts()));
  }

  /** All hosts; null in Restricted Mode. `onDidChange` fires when another fleet replaces it. */
  fleet(): Promise<OpenFleet | null> {
    if (!isTrusted() || this.isDisposed) return Promise.resolve(null);
    this.opened ??= this.make().catch((error: unknown) => {
      this.log.error('Looking for GPUs', error);
      return null;
    });
    return this.opened;
  }

  async detection(): Promise<Detection | null> {
    const fleet = await this.fleet();
    return fleet === null ? null : fleet.detection();
  }

  /** The GPUs of this machine as targets, with the memory that other processes hold as last read. */
  async targets(gpus: GpuSource): Promise<readonly Target[]> {
    const fleet = await this.fleet();
    return fleet === null ? [] : fleet.targets(gpus);
  }

  /** Where a run could go: this machine and all hosts, as last read or, if `asked`, as they answer now. */
  async places(gpus: GpuSource, requested: boolean): Promise<readonly Place[]> {
    const fleet = await this.fleet();
    if (fleet === null) return [];
    return requested ? fleet.freshPlaces(gpus) : fleet.places(gpus);
  }

  dispose(): void {
    this.isDisposed = true;
    this.close();
    this.store.dispose();
  }

  /** Executables from the user's settings, by tool. */
  executables(): FleetOptions['executables'] {
    const path = setting('nvidiaSmi.path').trim();
    return path === '' ? {} : { 'nvidia-smi': path };
  }

  /** OpenSSH options from the user's settings. */
  ssh(): NonNullable<FleetOptions['ssh']> {
    const [ssh, configFile] = [setting('ssh.path').trim(), setting('ssh.configFile').trim()];
    return { ...(ssh !== '' && { path: ssh }), ...(configFile !== '' && { configFile }) };
  }

  private async make(): Promise<OpenFleet> {
    const fleet = await this.open({
      executables: this.executables(),
      intervalMs: intervalMs(),
      ssh: this.ssh(),
      hosts: this.hosts(),
    });
    void fleet.detection().then(detection => this.updateContext(detection));
    return fleet;
  }

  /** The hosts of the setting; invalid entries are logged. */
  private hosts(): readonly HostSpec[] {
    const { specs, problems } = readHosts(setting('hosts'));
    for (const problem of problems) this.log.warn(`headroom.hosts: ${problem}`);
    return specs;
  }

  /** Applies the currently configured hosts. */
  async followHosts(): Promise<void> {
    const fleet = await this.opened;
    fleet?.setHosts(this.hosts());
  }

  private updateContext({ devices, warnings, error }: Detection): void {
    setContextKey('headroom.hasGpus', devices.length > 0);
    const names = devices.map(device => device.name ?? 'unnamed');
    this.log.info(`GPUs of this machine: ${names.join(', ') || 'none'}`);
    for (const warning of warnings) this.log.warn(warning);
    if (error) this.log.warn(`${error.message} ${error.text}`);
  }

  private forget(): void {
    this.close();
    this.changed.fire();
  }

  private close(): void {
    void this.opened?.then(fleet => fleet?.dispose());
    this.opened = null;
  }
}

function intervalMs(): number {
  const seconds = setting('meter.intervalSeconds');
  return Math.min(MOST_SECONDS, Math.max(LEAST_SECONDS, seconds)) * SECOND;
}
