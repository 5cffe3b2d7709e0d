import type { Advice } from '../../core/advice/advice';
import type { Prediction } from '../../core/analyse/prediction';
import type { GpuDevice, MigInstance } from '../../gpu/device';
import type { Capacity, Host, HostStatus, MachineLoad } from '../../gpu/fleet';
import type { Measure } from '../../gpu/sample';
import type { Charted } from './charted';
import type { ViewState } from './viewState';

/** How it stands with a host. */
export type Status = HostStatus;
export type State = HostStatus['state'];

/** The machine around the GPUs. */
export type Machine = MachineLoad;

/** What a cluster's scheduler counts. */
export type Counted = Capacity;

/** A slice of a GPU that runs as its own device. */
export type Slice = MigInstance;

/** The latest reading of a device. Null: not read. */
export type DeviceNow = Readonly<
  Record<
    Extract<
      Measure,
      | 'utilPct'
      | 'memBusyPct'
      | 'memoryUsedMiB'
      | 'memoryFreeMiB'
      | 'tempC'
      | 'powerW'
      | 'powerLimitW'
      | 'fanPct'
      | 'clockSmMHz'
    >,
    number | null
  >
> & {
  readonly atMs: number;
  /** Why the clock is held back; null: not known. */
  readonly throttle: readonly string[] | null;
  /** Set where the device is in trouble. */
  readonly trouble: string | null;
};

/** A program on a device. Null: hidden or not printed. */
export interface ProcessRow {
  readonly pid: number;
  readonly name: string | null;
  readonly user: string | null;
  readonly command: string | null;
  readonly container: string | null;
  readonly memoryUsedMiB: number | null;
  readonly busyPct: number | null;
  readonly graphicsOnly: boolean;
  /** `1/0`: the MIG instance it runs in. */
  readonly slice: string | null;
}

/** A device without what changes every second. */
export type DeviceCard = Pick<
  GpuDevice,
  'index' | 'name' | 'vendor' | 'memoryTotalMiB' | 'memoryKind' | 'driverVersion' | 'virtualization'
> & {
  readonly id: string;
  readonly mig: readonly MigInstance[] | null;
  /** Null: not known; empty: none. */
  readonly processes: readonly ProcessRow[] | null;
  readonly advice: readonly Advice[];
  readonly now: DeviceNow | null;
};

export interface HostCard extends Host {
  readonly status: HostStatus;
  readonly machine: MachineLoad | null;
  readonly capacities: readonly Capacity[];
  readonly devices: readonly DeviceCard[];
}

/** What changes every second. */
export interface HostTick {
  readonly id: string;
  readonly machine: MachineLoad | null;
  readonly now: Readonly<Record<string, DeviceNow>>;
}

/** Times, and a column of values for each charted measure; null where it was not read. */
export interface DeviceSeries {
  readonly timesMs: readonly number[];
  readonly columns: Readonly<Record<Charted, readonly (number | null)[]>>;
}

/** Why there is nothing to show. */
export type Absence = 'restricted' | 'none';

/** What the extension tells the page. */
export type ToPage =
  | {
      readonly type: 'hydrate';
      readonly nowMs: number;
      readonly view: ViewState;
      readonly hosts: readonly HostCard[];
      readonly prediction: Prediction | null;
      readonly absence: Absence | null;
    }
  /** A host is new, or something about it changed that does not change every second. */
  | { readonly type: 'hosts'; readonly nowMs: number; readonly hosts: readonly HostCard[] }
  | { readonly type: 'gone'; readonly hosts: readonly string[] }
  | { readonly type: 'tick'; readonly nowMs: number; readonly hosts: readonly HostTick[] }
  | {
      readonly type: 'history';
      readonly nowMs: number;
      readonly windowMs: number;
      readonly series: Readonly<Record<string, DeviceSeries>>;
    }
  | { readonly type: 'prediction'; readonly prediction: Prediction | null };

/** Commands that the page has buttons for, by its own name. */
export type PageCommand = 'trust' | 'chooseTarget' | 'addHost' | 'openExample' | 'showLog';

/** What the page asks of the extension. */
export type FromPage =
  | { readonly type: 'ready' }
  | { readonly type: 'view'; readonly view: ViewState }
  | { readonly type: 'history'; readonly windowMs: number; readonly devices: readonly string[] }
  | { readonly type: 'retry'; readonly host: string }
  /** A terminal in which a host's login or key can be answered. */
  | { readonly type: 'terminal'; readonly host: string }
  | { readonly type: 'fix'; readonly device: string; readonly rule: string }
  /** The text of some devices, or of all, to the clipboard. */
  | { readonly type: 'copy'; readonly devices: readonly string[] }
  | { readonly type: 'command'; readonly command: PageCommand };
