import { entriesOf, isProcessEntry, processesIn, shownIn } from '../amd/smiJson';
import { csvEntries } from '../amd/smiCsv';
import { isMonitor, MonitorStream, readMonitor } from '../amd/monitor';
import { textEntries } from '../amd/smiText';
import { isTable, readTable } from '../amd/table';
import { withDetail } from '../device';
import { jsonValues } from '../parse/json';
import { readingOf } from '../parse/reading';
import { dedented } from '../parse/text';
import { Problems } from '../problems';
import type { GpuTool, ToolOutput, ToolReading } from '../tool';
import { ONE_SHOT } from '../tool';

const problems = new Problems('amd-smi', [
  ['device-not-found', /Can not find a device|AmdSmiDeviceNotFoundException/i],
  ['invalid-subcommand', /AmdSmiInvalidSubcommandException|AmdSmiInvalidCommandException/],
  ['invalid-argument', /AmdSmi(?:Invalid|Unknown|Required)\w*Exception|unrecognized arguments/],
  [
    'driver-not-loaded',
    /AMDSMI_STATUS_(?:NOT_INIT|DRIVER_NOT_LOADED)|amdgpu (?:driver )?not (?:loaded|found)/i,
  ],
  ['insufficient-permissions', /AMDSMI_STATUS_NO_PERM|Permission denied/i],
  ['no-devices', /No GPU\(?s?\)? (?:were )?(?:found|detected)|unable to (?:detect|find) any GPU/i],
  ['nvml-missing', /libamd_smi\.so/],
]);

/** Power, temperatures, utilization of GPU and memory, memory: one row per GPU. */
const MONITOR = ['monitor', '-p', '-t', '-u', '-m', '-v'];
const SECOND = 1000;

/**
 * AMD's tool since ROCm 6. The table of `monitor` can loop in one process (Python takes half a second to start);
 * names, PCI addresses and limits come from `static`, the rest of `metric` is read from recordings.
 */
export const amdSmi: GpuTool = {
  ...ONE_SHOT,
  id: 'amd-smi',
  vendor: 'amd',
  rank: 10,
  leastIntervalMs: 5 * SECOND,
  executables: platform => (platform === 'linux' ? ['amd-smi', '/opt/rocm/bin/amd-smi'] : []),
  query: () => MONITOR,
  stream: (_, intervalMs) => [...MONITOR, '-w', String(Math.max(1, Math.round(intervalMs / SECOND)))],
  streamReader: (_, devices) => new MonitorStream(devices),
  processes: () => ['process', '--json'],
  details: () => [
    ['static', '-a', '-b', '-d', '-v', '--json'],
    ['static', '-l', '-p', '--json'],
    ['list', '--json'],
  ],
  withDetails: (devices, { devices: found }) => devices.map(device => withDetail(device, found)),
  read: (args, output, receivedMs) => read(args, output, receivedMs),
  problem: problems.problem,
};

function read(args: readonly string[], output: ToolOutput, receivedMs: number): ToolReading {
  const stdout = dedented(output.stdout);
  const found = readAny(stdout, receivedMs);
  const version = versionsIn(stdout);
  const hasVersion = args[0] === 'version' && Object.keys(version).length > 0;
  const hasRead = found.devices.length + found.processes.length > 0 || hasVersion;
  return { ...found, ...version, error: problems.of(output, hasRead) };
}

function readAny(text: string, receivedMs: number): ToolReading {
  if (isTable(text)) return readTable(text, receivedMs);
  return isMonitor(text) ? readMonitor(text, receivedMs) : readEntries(text, receivedMs);
}

function readEntries(text: string, receivedMs: number): ToolReading {
  const fromJson = entriesOf(jsonValues(text));
  const fromCsv = fromJson.length > 0 ? [] : csvEntries(text);
  const entries = [...fromJson, ...fromCsv].length > 0 ? [...fromJson, ...fromCsv] : textEntries(text);
  const gpus = entries.filter(entry => !isProcessEntry(entry));
  return readingOf(
    gpus.map((entry, at) => shownIn(entry, at, receivedMs)),
    { processes: entries.filter(isProcessEntry).flatMap((entry, at) => processesIn(entry, at)) },
  );
}

function versionsIn(text: string): Pick<ToolReading, 'toolVersion' | 'rocmVersion'> {
  const [, toolVersion] = /AMDSMI Tool:\s*(\S+)/.exec(text) ?? [];
  const [, rocmVersion] = /ROCm version:\s*(\d\S*)/.exec(text) ?? [];
  return { ...(toolVersion && { toolVersion }), ...(rocmVersion && { rocmVersion }) };
}
