import type { GpuDevice, MigInstance } from '../device';
import { errorOf, toolError } from '../nvidia/errors';
import { readList } from '../nvidia/list';
import { readDmon, readFields, readPmon, readVersion } from '../nvidia/monitors';
import { GpuTableStream } from '../nvidia/stream';
import { readGpuTable, readProcessTable } from '../nvidia/tables';
import { readTable } from '../nvidia/table';
import { readTextLog, readXmlLog } from '../nvidia/xmlLog';
import { EMPTY_READING } from '../tool';
import type { GpuTool, ToolError, ToolOutput, ToolReading } from '../tool';

/** Fields of a sample; the free-text name is last, since its commas are not quoted. */
const FIELDS =
  `index uuid pci.bus_id driver_version mig.mode.current memory.total memory.used memory.free memory.reserved
  utilization.gpu utilization.memory temperature.gpu temperature.memory power.draw power.limit power.max_limit fan.speed
  clocks.sm clocks.mem clocks_throttle_reasons.active pstate timestamp name`
    .split(/\s+/)
    .filter(Boolean);

const PROCESS_FIELDS = ['pid', 'used_memory', 'gpu_uuid', 'process_name'];

/** Faster loops use `-lms`, which older drivers lack. */
const SECOND = 1000;

/** NVIDIA's own tool, through its CSV; `-L` and XML only for MIG details. */
export const nvidiaSmi: GpuTool = {
  id: 'nvidia-smi',
  vendor: 'nvidia',
  rank: 5,
  executables,
  query,
  stream(unknownFields, intervalMs) {
    const whole = intervalMs % SECOND === 0;
    const loop = whole ? ['-l', String(intervalMs / SECOND)] : ['-lms', String(Math.round(intervalMs))];
    return [...query(unknownFields), ...loop];
  },
  // Only the log reports a process's MIG instance and that instance's memory; it takes longer.
  processes: (devices = []) =>
    devices.some(device => device.mig?.enabled)
      ? ['-q', '-x']
      : [`--query-compute-apps=${PROCESS_FIELDS.join(',')}`, '--format=csv,nounits'],
  details: devices => (devices.some(device => device.mig?.enabled) ? [['-q', '-x'], ['-L']] : []),
  withDetails: (devices, detail) => devices.map(device => withInstances(device, detail.devices)),
  forms: [[], ['-q', '-x'], ['-q'], ['-L'], ['--query-gpu='], ['dmon'], ['pmon']],
  canRead: args => readerFor(args) !== null,
  read: (args, output, receivedMs) => readerFor(args)?.(args, output, receivedMs) ?? EMPTY_READING,
  streamReader: (args, devices) => new GpuTableStream(args, devices),
  problem: toolError,
  unknownField: (error: ToolError) => /Field "([^"]*)"/.exec(error.text)?.[1] ?? null,
};

/**
 * On Windows the system's own path comes first, because a bare name would also be searched in the working folder.
 */
function executables(
  platform: NodeJS.Platform,
  variables: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  if (platform === 'darwin') return [];
  if (platform !== 'win32') return ['nvidia-smi', '/usr/bin/nvidia-smi', '/usr/lib/wsl/lib/nvidia-smi'];
  const system = variables['SystemRoot'] ?? 'C:\\Windows';
  const programs = variables['ProgramFiles'] ?? 'C:\\Program Files';
  return [
    `${system}\\System32\\nvidia-smi.exe`,
    `${programs}\\NVIDIA Corporation\\NVSMI\\nvidia-smi.exe`,
    'nvidia-smi.exe',
  ];
}

function query(unknownFields: readonly string[]): readonly string[] {
  const fields = FIELDS.filter(field => !unknownFields.includes(field));
  return [`--query-gpu=${fields.join(',')}`, '--format=csv,nounits'];
}

type Reader = (args: readonly string[], output: ToolOutput, receivedMs: number) => ToolReading;

const has = (args: readonly string[], ...names: readonly string[]): boolean =>
  names.some(name => args.includes(name));
const asks = (args: readonly string[], query: string): boolean =>
  args.some(arg => arg.startsWith(`${query}=`));

/** nvidia-smi's formats by their arguments; the first match wins. */
const FORMATS: readonly (readonly [(args: readonly string[]) => boolean, Reader])[] = [
  [args => asks(args, '--query-gpu'), readGpuTable],
  [args => asks(args, '--query-compute-apps'), readProcessTable],
  // Accounted processes have ended: none of them runs.
  [
    args => asks(args, '--query-accounted-apps'),
    (_, output) => ({ ...EMPTY_READING, error: errorOf(output, true) }),
  ],
  [args => has(args, '--help-query-gpu'), (_, output) => readFields(output)],
  [args => has(args, '--version'), (_, output) => readVersion(output)],
  [args => has(args, '-L', '--list-gpus'), (_, output) => readList(output)],
  [args => has(args, '-x', '--xml-format'), (_, output, receivedMs) => readXmlLog(output, receivedMs)],
  [args => has(args, '-q', '--query'), (_, output, receivedMs) => readTextLog(output, receivedMs)],
  [args => args[0] === 'dmon', (_, output, receivedMs) => readDmon(output, receivedMs)],
  [args => args[0] === 'pmon', (_, output) => readPmon(output)],
  [args => args.length === 0, (_, output, receivedMs) => readTable(output, receivedMs)],
];

const readerFor = (args: readonly string[]): Reader | null =>
  FORMATS.find(([fits]) => fits(args))?.[1] ?? null;

/** Adds MIG details from other readings: memory from XML, profiles and UUIDs from the list. */
function withInstances(device: GpuDevice, others: readonly GpuDevice[]): GpuDevice {
  const other = others.find(one => one.key === device.key && one.mig?.instances.length);
  if (!other?.mig || !device.mig?.enabled) return device;
  const known = device.mig.instances;
  const instances = other.mig.instances.map(found => {
    const before = known.find(one => one.index === found.index);
    return before ? merged(before, found) : found;
  });
  return { ...device, mig: { enabled: true, instances } };
}

function merged(a: MigInstance, b: MigInstance): MigInstance {
  return {
    index: a.index,
    uuid: a.uuid ?? b.uuid,
    profile: a.profile ?? b.profile,
    gpuInstanceId: a.gpuInstanceId ?? b.gpuInstanceId,
    computeInstanceId: a.computeInstanceId ?? b.computeInstanceId,
    memoryTotalMiB: a.memoryTotalMiB ?? b.memoryTotalMiB,
    memoryUsedMiB: a.memoryUsedMiB ?? b.memoryUsedMiB,
  };
}
