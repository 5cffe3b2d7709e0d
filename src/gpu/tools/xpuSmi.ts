import { withDetail } from '../device';
import { readDiscoveryCsv, readDiscoveryJson, readDiscoveryTable } from '../intel/discovery';
import { DumpStream, readDump, readPs, readPsJson, readStats, readStatsJson } from '../intel/metrics';
import { readTable } from '../intel/table';
import { jsonValues } from '../parse/json';
import { dedented } from '../parse/text';
import { readingOf } from '../parse/reading';
import { Problems } from '../problems';
import type { GpuTool, ToolOutput, ToolReading } from '../tool';
import { ONE_SHOT } from '../tool';

const problems = new Problems('xpu-smi', [
  ['no-devices', /No device (?:discovered|found)|device not found, list is empty/i],
  ['device-not-found', /device not found|invalid device/i],
  ['insufficient-permissions', /Permission denied|please run .*as root|requires? root/i],
  [
    'driver-not-loaded',
    /(?:Level Zero|zeInit|ze_loader).{0,200}(?:fail|error|not found)|fail(?:ed)? to init/i,
  ],
  // Since 2.0, `dump` has no short options but -d.
  ['invalid-field', /arguments? (?:was|were) not expected:[^\n]{0,200} -[mni]\b/i],
  ['invalid-argument', /The following arguments? (?:was|were) not expected|unknown option/i],
]);

/** Utilization, power, clock, two temperatures, share and amount of memory. */
const METRICS = '0,1,2,3,4,5,18';
const SECOND = 1000;

/** A dump's arguments; with long names if the tool does not know the short ones. */
function dump(unknown: readonly string[], seconds: number, count?: number): readonly string[] {
  const isLong = unknown.length > 0;
  const times = count === undefined ? [] : [isLong ? '--number' : '-n', String(count)];
  const metrics = isLong ? ['--metrics', METRICS, '--interval'] : ['-m', METRICS, '-i'];
  return ['dump', '-d', '-1', ...metrics, String(seconds), ...times];
}

/** Intel's tool for its cards: a continuous dump with device numbers; names and UUIDs come from `discovery`. */
export const xpuSmi: GpuTool = {
  ...ONE_SHOT,
  id: 'xpu-smi',
  vendor: 'intel',
  rank: 30,
  // XPU Manager brings the same commands under another name.
  executables: platform => (platform === 'linux' || platform === 'win32' ? ['xpu-smi', 'xpumcli'] : []),
  query: unknown => dump(unknown, 1, 1),
  stream: (unknown, intervalMs) => dump(unknown, Math.max(1, Math.round(intervalMs / SECOND))),
  unknownField: () => 'short options',
  streamReader: (args, devices) => new DumpStream(args, devices),
  processes: () => ['ps', '-j'],
  details: devices => [
    ['discovery', '-j'],
    ...devices.map(({ index }) => ['discovery', '-d', String(index), '-j']),
  ],
  withDetails: (devices, { devices: found }) => devices.map(device => withDetail(device, found)),
  forms: [['dump'], [], ['stats'], ['discovery', '-j']],
  read: (args, output, receivedMs) => {
    const reading = readText(args, dedented(output.stdout), receivedMs);
    const hasRead = reading.devices.length + reading.processes.length > 0 || isEmptyList(args, output);
    return { ...reading, error: problems.of(output, hasRead) };
  },
  problem: problems.problem,
};

function readText(args: readonly string[], text: string, receivedMs: number): ToolReading {
  if (args[0] === 'dump' || /^Timestamp, *DeviceId/m.test(text)) return readDump(args, text, receivedMs);
  if (args.length === 0 && text.includes('|')) return readTable(text, receivedMs);
  if (/^Device ID,/m.test(text)) return readDiscoveryCsv(text, receivedMs);
  if (args[0] === 'stats' && text.includes('|')) return readStats(text, receivedMs);
  if (/^\|\s*Device ID/m.test(text)) return readDiscoveryTable(text, receivedMs);
  if (args[0] === 'ps') {
    const values = jsonValues(text);
    return readingOf([], { processes: values.length > 0 ? readPsJson(values) : readPs(text) });
  }
  const values = jsonValues(text);
  return args[0] === 'stats' ? readStatsJson(values, receivedMs) : readDiscoveryJson(values, receivedMs);
}

/** No processes is a valid answer, too. */
const isEmptyList = (args: readonly string[], { exitCode }: ToolOutput): boolean =>
  args[0] === 'ps' && exitCode === 0;
