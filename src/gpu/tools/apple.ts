import { readMacmon, readMactop } from '../apple/macmon';
import { PowermetricsStream, readPowermetrics } from '../apple/powermetrics';
import { readIoreg, readProfilerJson, readProfilerText } from '../apple/registry';
import { withDetail } from '../device';
import { isList, jsonValues } from '../parse/json';
import type { Json } from '../parse/json';
import { JsonStream } from '../parse/jsonStream';
import { Problems } from '../problems';
import { EMPTY_READING, ONE_SHOT } from '../tool';
import type { GpuTool, ToolReading } from '../tool';

const ioregProblems = new Problems('ioreg');

/** macOS's device registry, readable by every user: utilization and memory in use. */
export const ioreg: GpuTool = {
  ...ONE_SHOT,
  id: 'ioreg',
  vendor: 'apple',
  rank: 60,
  executables: platform => (platform === 'darwin' ? ['/usr/sbin/ioreg'] : []),
  query: () => ['-r', '-d', '1', '-w', '0', '-c', 'IOAccelerator'],
  ...ioregProblems.reads(readIoreg),
};

/** The first value of a JSON text, or of a list in it. */
const inFirst =
  (read: (value: Json, receivedMs: number) => ToolReading) =>
  (text: string, receivedMs: number): ToolReading => {
    const [value] = jsonValues(text).flatMap(one => (isList(one) ? one : [one]));
    return value === undefined ? EMPTY_READING : read(value, receivedMs);
  };

const macmonProblems = new Problems('macmon');

/** Apple silicon without root, if installed: utilization, power, temperature and clock. */
export const macmon: GpuTool = {
  ...ONE_SHOT,
  id: 'macmon',
  vendor: 'apple',
  rank: 50,
  executables: platform =>
    platform === 'darwin' ? ['macmon', '/opt/homebrew/bin/macmon', '/usr/local/bin/macmon'] : [],
  query: () => ['pipe', '-s', '1', '-i', '500'],
  stream: (_, intervalMs) => ['pipe', '-i', String(Math.round(intervalMs))],
  streamReader: () => new JsonStream(readMacmon),
  withDetails: (devices, { devices: found }) => devices.map(device => withDetail(device, found)),
  ...macmonProblems.reads(inFirst(readMacmon)),
};

const mactopProblems = new Problems('mactop', [['insufficient-permissions', /root|sudo/i]]);

/** Apple silicon, if installed. */
export const mactop: GpuTool = {
  ...ONE_SHOT,
  id: 'mactop',
  vendor: 'apple',
  rank: 55,
  executables: platform =>
    platform === 'darwin' ? ['mactop', '/opt/homebrew/bin/mactop', '/usr/local/bin/mactop'] : [],
  query: () => ['--headless', '--count', '1'],
  stream: (_, intervalMs) => ['--headless', '--interval', String(Math.round(intervalMs))],
  streamReader: () => new JsonStream(readMactop),
  ...mactopProblems.reads(inFirst(readMactop)),
};

const powermetricsProblems = new Problems('powermetrics', [
  ['insufficient-permissions', /must be invoked as the superuser|Operation not permitted/i],
]);

const SAMPLERS = ['--samplers', 'gpu_power'];

/** macOS's own power measurement. It needs root, which Headroom never requests: it is used if the user is root. */
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
  ...powermetricsProblems.reads(readPowermetrics),
};

const profilerProblems = new Problems('system_profiler');

/** macOS's list of graphics: names and sizes, slowly. Used if nothing else answers. */
export const systemProfiler: GpuTool = {
  ...ONE_SHOT,
  id: 'system_profiler',
  vendor: 'apple',
  rank: 90,
  isFallback: true,
  leastIntervalMs: 60_000,
  executables: platform => (platform === 'darwin' ? ['/usr/sbin/system_profiler'] : []),
  query: () => ['SPDisplaysDataType', '-json'],
  ...profilerProblems.reads((text, receivedMs) => {
    const values = jsonValues(text);
    return values.length > 0 ? readProfilerJson(values, receivedMs) : readProfilerText(text, receivedMs);
  }),
};
