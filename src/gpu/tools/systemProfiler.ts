import { readProfilerJson, readProfilerText } from '../apple/registry';
import { jsonValues } from '../parse/json';
import { Problems } from '../problems';
import type { GpuTool } from '../tool';
import { ONE_SHOT } from '../toolDefaults';

const problems = new Problems('system_profiler');

/** What macOS says of its graphics: names and sizes, slowly. Asked when nothing else answers. */
export const systemProfiler: GpuTool = {
  ...ONE_SHOT,
  id: 'system_profiler',
  vendor: 'apple',
  rank: 90,
  isFallback: true,
  leastIntervalMs: 60_000,
  executables: platform => (platform === 'darwin' ? ['/usr/sbin/system_profiler'] : []),
  query: () => ['SPDisplaysDataType', '-json'],
  canRead: () => true,
  read: (_, output, receivedMs) => {
    const values = jsonValues(output.stdout);
    const reading =
      values.length > 0 ? readProfilerJson(values, receivedMs) : readProfilerText(output.stdout, receivedMs);
    return { ...reading, error: problems.of(output, reading.devices.length > 0) };
  },
  problem: problems.problem,
};
