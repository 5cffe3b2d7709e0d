import { jsonValues } from '../parse/json';
import { Problems } from '../problems';
import { readNvtop } from '../system/nvtop';
import { readNvtopScreen } from '../system/nvtopScreen';
import { readAdapters } from '../system/windows';
import { ONE_SHOT } from '../tool';
import type { GpuTool } from '../tool';

const nvtopProblems = new Problems('nvtop', [
  ['no-devices', /No GPU to monitor/i],
  ['invalid-argument', /unrecognized option|invalid option/i],
]);

/** Knows the GPUs of all vendors through their kernel drivers; used if no vendor's tool answers. */
export const nvtop: GpuTool = {
  ...ONE_SHOT,
  id: 'nvtop',
  vendor: 'unknown',
  rank: 80,
  isFallback: true,
  executables: platform => (platform === 'linux' ? ['nvtop'] : []),
  query: () => ['-s'],
  ...nvtopProblems.reads(readNvtopScreen, (text, receivedMs) => readNvtop(jsonValues(text), receivedMs)),
};

const wmicProblems = new Problems('wmic', [['no-devices', /No Instance\(s\) Available/i]]);

/** Windows' own list of graphics: names and drivers, if no vendor's tool answers. */
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
  ...wmicProblems.reads(readAdapters),
};
