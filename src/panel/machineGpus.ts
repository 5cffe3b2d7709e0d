import { EventEmitter } from 'vscode';
import type { Event } from 'vscode';
import type { Target } from '../core/hardware/gpu';
import type { GpuSource } from '../core/ports';
import type { Detection } from '../gpu/detect';
import type { OpenGpus } from '../gpu/open';
import type { GpuSample } from '../gpu/sample';
import type { Sampler } from '../gpu/sampler';
import { DisposableStore } from '../host/disposables';
import type { Disposable } from '../host/disposables';
import type { Log } from '../host/log';
import { onSettings, setting } from '../host/settings';
import { isTrusted, onTrustGranted } from '../host/trust';

/** Loads the room that starts GPU tools; executables by tool id. */
export type OpenTools = (executables: Readonly<Record<string, string>>) => Promise<OpenGpus>;

interface Found {
  readonly tools: OpenGpus;
  readonly detection: Detection;
}

/**
 * The GPUs of this machine, looked for when somebody first asks, and again when trust is granted or the tool's path
 * changes. In Restricted Mode nothing is started and there are none.
 */
export class MachineGpus implements Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new EventEmitter<void>());
  private found: Promise<Found | null> | null = null;
  private latest: readonly GpuSample[] | null = null;

  readonly onDidChange: Event<void> = this.changed.event;

  constructor(
    private readonly open: OpenTools,
    private readonly log: Log,
  ) {
    this.store.add(onTrustGranted(() => this.forget()));
    this.store.add(onSettings(['nvidiaSmi.path'], () => this.forget()));
  }

  async detection(): Promise<Detection | null> {
    return (await this.find())?.detection ?? null;
  }

  /** As targets, with the memory that others hold as last read. */
  async targets(gpus: GpuSource): Promise<readonly Target[]> {
    const found = await this.find();
    if (!found) return [];
    const { tools, detection } = found;
    return tools.targets({ ...detection, samples: this.latest ?? detection.samples }, gpus);
  }

  /** Reads the GPUs again and again while it is held; null when there is no tool that could. */
  async sampler(intervalMs: number): Promise<Sampler | null> {
    const found = await this.find();
    if (!found?.detection.source) return null;
    const sampler = found.tools.sampler(found.detection.source, intervalMs);
    sampler.on({ samples: samples => (this.latest = samples), state: () => undefined });
    return sampler;
  }

  dispose(): void {
    this.store.dispose();
  }

  private find(): Promise<Found | null> {
    if (!isTrusted()) return Promise.resolve(null);
    this.found ??= this.look().catch((error: unknown) => {
      this.log.error('Looking for GPUs', error);
      return null;
    });
    return this.found;
  }

  private async look(): Promise<Found> {
    const path = setting('nvidiaSmi.path').trim();
    const tools = await this.open(path === '' ? {} : { 'nvidia-smi': path });
    const detection = await tools.detect();
    const names = detection.devices.map(device => device.name ?? 'unnamed');
    this.log.info(`GPUs of this machine: ${names.join(', ') || 'none'}`);
    for (const warning of detection.warnings) this.log.warn(warning);
    if (detection.error) this.log.warn(`${detection.error.message} ${detection.error.text}`);
    return { tools, detection };
  }

  private forget(): void {
    this.found = null;
    this.latest = null;
    this.changed.fire();
  }
}
