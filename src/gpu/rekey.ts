import type { Source } from './ask';
import type { GpuDevice } from './device';
import { shortBusId } from './device';
import type { GpuProcess, GpuSample } from './sample';

/**
 * Replaces the keys of samples by those of their devices: some tools report UUIDs only on request, and number their
 * samples. Omits samples that another tool reports better.
 */
export function rekeyed(
  { keys, hidden }: Pick<Source, 'keys' | 'hidden'>,
  samples: readonly GpuSample[],
): readonly GpuSample[] {
  if (keys === undefined && hidden === undefined) return samples;
  return samples.flatMap(sample => {
    if (hidden?.includes(sample.key)) return [];
    const key = keys?.[sample.key];
    return key === undefined ? [sample] : [{ ...sample, key }];
  });
}

/** The better keys that details brought, by the previous keys; undefined if nothing changed. */
export function keysOf(
  before: readonly GpuDevice[],
  after: readonly GpuDevice[],
): Readonly<Record<string, string>> | undefined {
  const changed = before.flatMap((device, at) => {
    const key = after[at]?.key;
    return key === undefined || key === device.key ? [] : [[device.key, key] as const];
  });
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}

/** Adds the device's key to processes, as far as the tool reports it. */
export function placed(
  processes: readonly GpuProcess[],
  devices: readonly GpuDevice[],
): readonly GpuProcess[] {
  return processes.map(process => ({ ...process, deviceKey: deviceOf(process, devices)?.key ?? null }));
}

function deviceOf(process: GpuProcess, devices: readonly GpuDevice[]): GpuDevice | undefined {
  const { gpuUuid, pciBusId, gpuIndex } = process;
  if (gpuUuid !== null) {
    return devices.find(
      ({ uuid, mig }) => uuid === gpuUuid || mig?.instances.some(instance => instance.uuid === gpuUuid),
    );
  }
  if (pciBusId !== null) {
    const place = shortBusId(pciBusId);
    return devices.find(device => device.pciBusId !== null && shortBusId(device.pciBusId) === place);
  }
  return gpuIndex === null ? undefined : devices.find(({ index }) => index === gpuIndex);
}
