import { readIoreg } from '../apple/registry';
import { Problems } from '../problems';
import type { GpuTool } from '../tool';
import { ONE_SHOT } from '../toolDefaults';

const problems = new Problems('ioreg');

/** macOS's registry of devices, which everyone may read: load and memory in use. */
export const ioreg: GpuTool = {
  ...ONE_SHOT,
  id: 'ioreg',
  vendor: 'apple',
  rank: 60,
  executables: platform => (platform === 'darwin' ? ['/usr/sbin/ioreg'] : []),
  query: () => ['-r', '-d', '1', '-w', '0', '-c', 'IOAccelerator'],
  canRead: () => true,
  read: (_, output, receivedMs) => {
    const reading = readIoreg(output.stdout, receivedMs);
    return { ...reading, error: problems.of(output, reading.devices.length > 0) };
  },
  problem: problems.problem,
};
