import { chipIn, chipNames, readSysfs, sysfsQuery } from '../amd/sysfs';
import { unknownDevice } from '../device';
import type { GpuDevice } from '../device';
import { Problems } from '../problems';
import { EMPTY_READING, ONE_SHOT } from '../tool';
import type { GpuTool, ToolReading } from '../tool';

const problems = new Problems('The driver amdgpu');

const QUERY = sysfsQuery('/sys/class/drm');
/** Where libdrm keeps chip names; most desktops have it. */
const NAMES = '/usr/share/libdrm/amdgpu.ids';

/**
 * The driver's own files, printed by `find`, for cards without AMD's tools. They do not list memory holders. On a
 * machine without such a card, this tool counts as not installed.
 */
export const amdSysfs: GpuTool = {
  ...ONE_SHOT,
  id: 'amdgpu',
  vendor: 'amd',
  rank: 60,
  executables: platform => (platform === 'linux' ? ['find'] : []),
  query: () => QUERY,
  details: devices => {
    const ids = devices.flatMap(({ name }) => chipIn(name)?.id ?? []);
    return ids.length === 0 ? [] : [[NAMES, '-exec', 'grep', '-iE', `^(${ids.join('|')}),`, '{}', '+']];
  },
  withDetails: (devices, { devices: named }) => devices.map(device => called(device, named)),
  canRead: args => args.includes('/sys/class/drm') || args[0] === NAMES,
  read: (args, output, receivedMs) => {
    if (args[0] === NAMES) return namesAsDevices(output.stdout);
    const reading = readSysfs(output.stdout, receivedMs);
    const hasDevices = reading.devices.length > 0;
    return { ...reading, error: hasDevices ? null : problems.problem('command-not-found', '') };
  },
  problem: problems.problem,
};

/** A list of names as devices without other facts, keyed by chip. */
function namesAsDevices(text: string): ToolReading {
  const names = [...chipNames(text)];
  return {
    ...EMPTY_READING,
    devices: names.map(([key, name], index) => unknownDevice({ key, vendor: 'amd', index, name })),
  };
}

function called(device: GpuDevice, named: readonly GpuDevice[]): GpuDevice {
  const chip = chipIn(device.name);
  const key = chip === null ? null : `${chip.id}:${chip.revision}`;
  return { ...device, name: named.find(one => one.key === key)?.name ?? device.name };
}
