import { Problems } from '../problems';
import { readAdapters } from '../system/windows';
import type { GpuTool } from '../tool';
import { ONE_SHOT } from '../toolDefaults';

const problems = new Problems('wmic', [['no-devices', /No Instance\(s\) Available/i]]);

/** What Windows itself says of its graphics: names and drivers, where no vendor's tool answers. */
export const wmic: GpuTool = {
  ...ONE_SHOT,
  id: 'wmic',
  vendor: 'unknown',
  rank: 95,
  isFallback: true,
  leastIntervalMs: 60_000,
  executables: (platform, variables) =>
    platform === 'win32' ? [`${variables['SystemRoot'] ?? 'C:\\Windows'}\\System32\\wbem\\WMIC.exe`] : [],
  query: () => ['path', 'Win32_VideoController', 'get', '/value'],
  canRead: () => true,
  read: (_, output, receivedMs) => {
    const reading = readAdapters(output.stdout, receivedMs);
    return { ...reading, error: problems.of(output, reading.devices.length > 0) };
  },
  problem: problems.problem,
};
