/** A slice of a GPU that runs as its own device (NVIDIA MIG). */
export interface MigInstance {
  readonly index: number;
  readonly uuid: string | null;
  /** `1g.10gb`; null if only memory and ids were reported. */
  readonly profile: string | null;
  readonly gpuInstanceId: number | null;
  readonly computeInstanceId: number | null;
  readonly memoryTotalMiB: number | null;
  readonly memoryUsedMiB: number | null;
}

/** The facts of a GPU that do not change. Null: not reported. */
export interface GpuDevice {
  /** Identifies the device between readings: its UUID, else its PCI address, else its index. */
  readonly key: string;
  readonly vendor: 'nvidia' | 'amd' | 'intel' | 'apple' | 'unknown';
  /** In the tool's order; for display, not for identification. */
  readonly index: number;
  /** Its node in a cluster; absent: the host itself. */
  readonly node?: string;
  readonly uuid: string | null;
  readonly pciBusId: string | null;
  readonly name: string | null;
  readonly memoryTotalMiB: number | null;
  readonly memoryKind: 'dedicated' | 'unified' | 'unknown';
  readonly driverVersion: string | null;
  readonly driverModel: string | null;
  readonly virtualization: string | null;
  /** The maximum that the power limit can be set to. */
  readonly powerMaxW?: number | null;
  /** The number of GPU cores as the vendor counts them (Apple). */
  readonly coreCount?: number | null;
  /** Tiles of one card that count as separate devices (Intel). */
  readonly tileCount?: number | null;
  /** How the card is split into logical GPUs (AMD: `SPX`, `CPX`). */
  readonly computePartition?: string | null;
  readonly persistenceMode?: boolean | null;
  /** CUDA, ROCm or Level Zero, as the driver reports it. */
  readonly runtimeVersion?: string | null;
  readonly toolVersion?: string | null;
  readonly mig: { readonly enabled: boolean; readonly instances: readonly MigInstance[] } | null;
}

/** A device with only the given facts. */
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
 * Adds facts from another answer about the same index; known values win. The key becomes its UUID, else its PCI
 * address, as soon as one is known.
 */
export function withDetail(device: GpuDevice, answers: readonly GpuDevice[]): GpuDevice {
  const detail = answers.find(({ index, vendor }) => index === device.index && vendor === device.vendor);
  if (!detail) return device;
  const known = Object.entries(detail).filter(([, value]) => value !== null && value !== 'unknown');
  const knowsPlace = detail.uuid !== null || (device.uuid === null && detail.pciBusId !== null);
  return { ...device, ...Object.fromEntries(known), key: knowsPlace ? detail.key : device.key };
}

/** Whether two PCI addresses are equal, however the domain is written (`00000000:0C:00.0`, `0000:0c:00.0`). */
export function samePciBusId(a: string, b: string): boolean {
  return shortBusId(a) === shortBusId(b);
}

/** In Linux's notation: lower case, with a domain of four digits if possible. */
export function shortBusId(pciBusId: string): string {
  return pciBusId.toLowerCase().replace(/^0000(?=[0-9a-f]{4}:)/, '');
}
