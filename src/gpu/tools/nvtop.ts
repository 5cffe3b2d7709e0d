import { jsonValues } from '../parse/json';
import { Problems } from '../problems';
import { readNvtop } from '../system/nvtop';
import type { GpuTool } from '../tool';
import { ONE_SHOT } from '../toolDefaults';

const problems = new Problems('nvtop', [
  ['no-devices', /No GPU to monitor/i],
  ['invalid-argument', /unrecognized option|invalid option/i],
]);

/** Knows the GPUs of all vendors through their kernel drivers; asked where no vendor's own tool answers. */
export const nvtop: GpuTool = {
  ...ONE_SHOT,
  id: 'nvtop',
  vendor: 'unknown',
  rank: 80,
  isFallback: true,
  executables: platform => (platform === 'linux' ? ['nvtop'] : []),
  query: () => ['-s'],
  canRead: () => true,
  read: (_, output, receivedMs) => {
    const reading = readNvtop(jsonValues(output.stdout), receivedMs);
    return { ...reading, error: problems.of(output, reading.devices.length > 0) };
  },
  problem: problems.problem,
};
