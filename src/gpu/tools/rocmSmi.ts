import { readConcise, readHardware } from '../amd/concise';
import { readPidGpus, readPids, readRocmCsv, readRocmJson, readRocmText } from '../amd/rocm';
import { jsonValues } from '../parse/json';
import { dedented } from '../parse/text';
import { Problems } from '../problems';
import type { GpuTool, ToolOutput, ToolReading } from '../tool';
import { ONE_SHOT } from '../tool';

const problems = new Problems('rocm-smi', [
  ['not-supported', /RSMI_STATUS_NOT_SUPPORTED|not supported in the current environment/i],
  ['field-unavailable', /Unable to get GPU \w+/i],
  ['driver-not-loaded', /Driver not (?:initialized|loaded)|amdgpu not found/i],
  ['no-devices', /No (?:AMD )?(?:GPUs|devices) (?:found|specified|detected)/i],
  ['insufficient-permissions', /RSMI_STATUS_PERMISSION|Permission denied/i],
  ['nvml-missing', /librocm_smi64\.so|Unable to load the rocm_smi library/i],
  ['invalid-argument', /unrecognized arguments/],
]);

const QUERY = [
  '--showuniqueid',
  '--showproductname',
  '--showbus',
  '--showdriverversion',
  '--showmeminfo',
  'vram',
  '--showuse',
  '--showmemuse',
  '--showtemp',
  '--showpower',
  '--showmaxpower',
  '--showfan',
  '--showclocks',
  '--json',
];

/**
 * AMD's tool before amd-smi: written in Python, it cannot loop and takes half a second. Its JSON contains
 * everything.
 */
export const rocmSmi: GpuTool = {
  ...ONE_SHOT,
  id: 'rocm-smi',
  vendor: 'amd',
  rank: 20,
  leastIntervalMs: 5000,
  executables: platform => (platform === 'linux' ? ['rocm-smi', '/opt/rocm/bin/rocm-smi'] : []),
  query: () => QUERY,
  processes: () => ['--showpids', '--json'],
  read: (_, output, receivedMs) => {
    const reading = readText(dedented(output.stdout), receivedMs);
    const hasRead = reading.devices.length + reading.processes.length > 0;
    return { ...reading, error: problems.of(output, hasRead || isEmptyList(output)) };
  },
  problem: problems.problem,
};

function readText(text: string, receivedMs: number): ToolReading {
  const table =
    readRocmCsv(text, receivedMs) ?? readConcise(text, receivedMs) ?? readHardware(text, receivedMs);
  if (table) return table;
  const processes = [...readPidGpus(text), ...readPids(text)];
  const isText = processes.length > 0 || /^GPU\[\d/m.test(text);
  return isText
    ? { ...readRocmText(text, receivedMs), processes }
    : readRocmJson(jsonValues(text), receivedMs);
}

/** No processes is a valid answer, too. */
const isEmptyList = ({ stdout }: ToolOutput): boolean => /No (?:JSON data|KFD PIDs)/i.test(stdout);
