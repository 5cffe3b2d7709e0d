import type { GpuDevice, MigInstance } from '../device';
import { dedented } from '../parse/text';
import { EMPTY_READING } from '../tool';
import type { ToolOutput, ToolReading } from '../tool';
import { errorOf, warningOf } from './errors';
import { integerOf } from './values';

const GPU = /^GPU (\d+): (.{1,200}?) \(UUID: ([^\s()]{1,200})\)\s*$/;
/** Up to driver 460: the instances are part of the UUID, `MIG-GPU-<uuid>/7/0`. */
const LEGACY = /^MIG-GPU-[^/]+\/(\d+)\/(\d+)$/;
const MIG = /^\s+MIG (\S{1,100})\s+Device\s+(\d+): \(UUID: ([^\s()]{1,200})\)\s*$/;

/** Output of `nvidia-smi -L`: names and UUIDs, with the MIG instances of each GPU below it. */
export function readList(output: ToolOutput): ToolReading {
  const lines = dedented(output.stdout).split(/\r?\n/);
  const devices: GpuDevice[] = [];
  for (const line of lines) {
    const gpu = GPU.exec(line);
    if (gpu) devices.push(deviceOf(Number(gpu[1]), gpu[2] ?? '', gpu[3] ?? ''));
    const mig = MIG.exec(line);
    const parent = devices.pop();
    if (parent) devices.push(mig ? withInstance(parent, mig) : parent);
  }
  return {
    ...EMPTY_READING,
    devices,
    error: errorOf(output, devices.length > 0),
    warnings: lines.flatMap(line => warningOf(line) ?? []),
  };
}

function deviceOf(index: number, name: string, uuid: string): GpuDevice {
  return {
    key: uuid,
    vendor: 'nvidia',
    index,
    uuid,
    pciBusId: null,
    name,
    memoryTotalMiB: null,
    memoryKind: 'unknown',
    driverVersion: null,
    driverModel: null,
    virtualization: null,
    mig: null,
  };
}

function withInstance(parent: GpuDevice, found: RegExpExecArray): GpuDevice {
  const [, gpuInstanceId, computeInstanceId] = LEGACY.exec(found[3] ?? '') ?? [];
  const instance: MigInstance = {
    index: Number(found[2]),
    uuid: found[3] ?? null,
    profile: found[1] ?? null,
    gpuInstanceId: integerOf(gpuInstanceId ?? ''),
    computeInstanceId: integerOf(computeInstanceId ?? ''),
    memoryTotalMiB: null,
    memoryUsedMiB: null,
  };
  return { ...parent, mig: { enabled: true, instances: [...(parent.mig?.instances ?? []), instance] } };
}
