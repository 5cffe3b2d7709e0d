import type { Advice } from '../../core/advice/advice';
import type { Prediction } from '../../core/analyse/prediction';
import type { GpuDevice, MigInstance } from '../../gpu/device';
import type { Capacity, Host, HostStatus, MachineLoad } from '../../gpu/fleet';
import type { Measure } from '../../gpu/sample';
import type { Charted } from './charted';
import type { ViewState } from './viewState';

/** The state of a host. */
export type Status = HostStatus;
export type State = HostStatus['state'];

/** The machine around the GPUs. */
export type Machine = MachineLoad;

/** A cluster's scheduler's counts. */
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
  /** Why the clock is throttled; null: unknown. */
  readonly throttle: readonly string[] | null;
  /** Set if the device has a problem. */
  readonly trouble: string | null;
};

/** A process on a device. Null: hidden or not reported. */
export interface ProcessRow {
  readonly pid: number | null;
  readonly name: string | null;
  readonly user: string | null;
  readonly command: string | null;
  readonly container: string | null;
  readonly memoryUsedMiB: number | null;
  readonly busyPct: number | null;
  readonly graphicsOnly: boolean;
  /** `1/0`: its MIG instance. */
  readonly slice: string | null;
}

/** A device without values that change every second. */
export type DeviceCard = Pick<
  GpuDevice,
  'index' | 'name' | 'vendor' | 'memoryTotalMiB' | 'memoryKind' | 'driverVersion' | 'virtualization'
> & {
  readonly id: string;
  readonly mig: readonly MigInstance[] | null;
  /** Null: unknown; empty: none. */
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

/** The values that change every second. */
export interface HostTick {
  readonly id: string;
  readonly machine: MachineLoad | null;
  readonly now: Readonly<Record<string, DeviceNow>>;
}

/** Times, and a column of values for each charted measure; null if not read. */
export interface DeviceSeries {
  readonly timesMs: readonly number[];
  readonly columns: Readonly<Record<Charted, readonly (number | null)[]>>;
}

/** Why there is nothing to show. */
export type Absence = 'restricted' | 'none';

/** Messages from the extension to the page. */
export type ToPage =
  | {
      readonly type: 'hydrate';
      readonly nowMs: number;
      readonly view: ViewState;
      readonly hosts: readonly HostCard[];
      readonly prediction: Prediction | null;
      readonly absence: Absence | null;
    }
  /** A host is new, or one of its values that rarely change did. */
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

/** Commands of the page's buttons, by the page's own names. */
export type PageCommand = 'trust' | 'chooseTarget' | 'addHost' | 'openExample' | 'showLog';

/** Messages from the page to the extension. */
export type FromPage =
  | { readonly type: 'ready' }
  | { readonly type: 'view'; readonly view: ViewState }
  | { readonly type: 'history'; readonly windowMs: number; readonly devices: readonly string[] }
  | { readonly type: 'retry'; readonly host: string }
  /** Opens a terminal in which the user can answer a host's login or key prompt. */
  | { readonly type: 'terminal'; readonly host: string }
  | { readonly type: 'fix'; readonly device: string; readonly rule: string }
  /** Copies the text of these devices to the clipboard. */
  | { readonly type: 'copy'; readonly devices: readonly string[] }
  | { readonly type: 'command'; readonly command: PageCommand };
