import { PowermetricsStream, readPowermetrics } from '../apple/powermetrics';
import { Problems } from '../problems';
import type { GpuTool } from '../tool';
import { ONE_SHOT } from '../toolDefaults';

const problems = new Problems('powermetrics', [
  ['insufficient-permissions', /must be invoked as the superuser|Operation not permitted/i],
]);

const SAMPLERS = ['--samplers', 'gpu_power'];

/** macOS's own measure of power. It needs root, which nothing here asks for: it is used where one is root. */
export const powermetrics: GpuTool = {
  ...ONE_SHOT,
  id: 'powermetrics',
  vendor: 'apple',
  rank: 58,
  executables: platform =>
    platform === 'darwin' && process.getuid?.() === 0 ? ['/usr/bin/powermetrics'] : [],
  query: () => [...SAMPLERS, '-n', '1', '-i', '500'],
  stream: (_, intervalMs) => [...SAMPLERS, '-i', String(Math.round(intervalMs))],
  streamReader: () => new PowermetricsStream(),
  canRead: () => true,
  read: (_, output, receivedMs) => {
    const reading = readPowermetrics(output.stdout, receivedMs);
    return { ...reading, error: problems.of(output, reading.devices.length > 0) };
  },
  problem: problems.problem,
};
