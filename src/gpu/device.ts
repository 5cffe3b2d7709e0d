/** A slice of a GPU that runs as its own device (NVIDIA MIG). */
export interface MigInstance {
  readonly index: number;
  readonly uuid: string | null;
  /** `1g.10gb`; null where only memory and ids were printed. */
  readonly profile: string | null;
  readonly gpuInstanceId: number | null;
  readonly computeInstanceId: number | null;
  readonly memoryTotalMiB: number | null;
  readonly memoryUsedMiB: number | null;
}

/** What does not change about a GPU of this machine. Null: the tool did not say. */
export interface GpuDevice {
  /** How the device is known from one reading to the next: its UUID, else its place on the bus, else its index. */
  readonly key: string;
  readonly vendor: 'nvidia' | 'amd' | 'intel' | 'apple' | 'unknown';
  /** In the tool's order; for showing, not for knowing a device again. */
  readonly index: number;
  /** Node of a cluster that it is in; absent: the host itself. */
  readonly node?: string;
  readonly uuid: string | null;
  readonly pciBusId: string | null;
  readonly name: string | null;
  readonly memoryTotalMiB: number | null;
  readonly memoryKind: 'dedicated' | 'unified' | 'unknown';
  readonly driverVersion: string | null;
  readonly driverModel: string | null;
  readonly virtualization: string | null;
  /** The most the power limit can be set to. */
  readonly powerMaxW?: number | null;
  /** Cores of the GPU as its vendor counts them (Apple). */
  readonly coreCount?: number | null;
  /** Tiles of one card that count as devices inside (Intel). */
  readonly tileCount?: number | null;
  /** How the card is split into logical GPUs (AMD: `SPX`, `CPX`). */
  readonly computePartition?: string | null;
  readonly persistenceMode?: boolean | null;
  /** CUDA, ROCm or level-zero, as the driver states it. */
  readonly runtimeVersion?: string | null;
  readonly toolVersion?: string | null;
  readonly mig: { readonly enabled: boolean; readonly instances: readonly MigInstance[] } | null;
}

/** A device of which nothing is known but what is given. */
export function unknownDevice(
  known: Pick<GpuDevice, 'key' | 'vendor' | 'index'> & Partial<GpuDevice>,
): GpuDevice {
  return {
    uuid: null,
    pciBusId: null,
    name: null,
    memoryTotalMiB: null,
    memoryKind: 'unknown',
    driverVersion: null,
    driverModel: null,
    virtualization: null,
    mig: null,
    ...known,
  };
}

/**
 * A device with what another answer says of the same index: what is known there counts. It is known again by its UUID, else
 * by its place on the bus, as soon as one is told.
 */
export function withDetail(device: GpuDevice, answers: readonly GpuDevice[]): GpuDevice {
  const detail = answers.find(({ index, vendor }) => index === device.index && vendor === device.vendor);
  if (!detail) return device;
  const known = Object.entries(detail).filter(([, value]) => value !== null && value !== 'unknown');
  const knowsPlace = detail.uuid !== null || (device.uuid === null && detail.pciBusId !== null);
  return { ...device, ...Object.fromEntries(known), key: knowsPlace ? detail.key : device.key };
}

/** Whether one PCI address is another, however the domain is written (`00000000:0C:00.0`, `0000:0c:00.0`). */
export function samePciBusId(a: string, b: string): boolean {
  return shortBusId(a) === shortBusId(b);
}

/** As Linux writes it: lower case, four digits of domain where four are enough. */
export function shortBusId(pciBusId: string): string {
  return pciBusId.toLowerCase().replace(/^0000(?=[0-9a-f]{4}:)/, '');
}
