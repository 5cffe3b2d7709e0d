import { adaptersOf } from '../../../src/gpu/adapters';
import { adapterDevice } from '../../../src/gpu/detect';
import { factsOf, lastOfEach, readPasted } from '../../../src/gpu/pasted';
import { EMPTY_READING } from '../../../src/gpu/tool';
import { plainOutput } from '../../../src/gpu/parse/text';
import { gpuTools } from '../../../src/gpu/tools/registry';
import type { ToolOutput, ToolReading } from '../../../src/gpu/tool';

/** One line of an index of recordings. */
export interface Recording {
  readonly file: string;
  readonly command: string;
  readonly exitCode?: number | null;
  readonly stream?: string | null;
  readonly expected: Readonly<Record<string, unknown>>;
}

/** Another name of a tool's program. */
const ALSO: Readonly<Record<string, string>> = {
  'rocm_smi.py': 'rocm-smi',
  xpumcli: 'xpu-smi',
  ...Object.fromEntries(
    ['hl-smi', 'npu-smi', 'cnmon', 'ixsmi', 'mx-smi', 'mthreads-gmi', 'neuron-ls'].map(name => [
      name,
      'accelerator-smi',
    ]),
  ),
};

/** The tool that reads what a program prints. */
export function toolIdOf(program: string): string {
  const name = program.replace(/\.exe$/, '');
  return ALSO[name] ?? name;
}

/** The reading of a recording as of a text that someone pasted; null if no reader exists for this format. */
export function readRecording(recording: Recording, text: string): ToolReading | null {
  const reading = readByTool(recording, text);
  if (recording.command.startsWith('systeminformation')) return reading;
  // What someone pasted may have a frame, which the tool itself never prints.
  const pasted = readPasted(text, gpuTools, 0)?.reading;
  const facts = reading === null ? 0 : factsOf(lastOfEach(reading));
  const isError = facts === 0 && (reading?.error ?? null) !== null;
  const isOfDevices = (pasted?.devices.length ?? 0) > 0;
  const isBetter = pasted !== undefined && (isOfDevices || facts > 0) && factsOf(pasted) > facts;
  return isBetter && !isError ? pasted : reading;
}

/** The reading of a recorded command's own tool, as where Headroom starts it; null if it has none. */
export function readByTool(recording: Recording, text: string): ToolReading | null {
  const words = recording.command
    .replace(/\s*\([^)]*\)/g, ' ')
    .trim()
    .split(/\s+/);
  if (words[0] === 'systeminformation') return readInspected(text);
  const output = recordedOutput(recording, text);
  for (const tool of gpuTools) {
    const at = words.findIndex(word => toolIdOf(word) === tool.id);
    const args = words.slice(at + 1);
    if (at < 0) continue;
    if (tool.canRead(args)) return tool.read(args, output, 0);
    // A message instead of an answer reads the same for every query.
    const message = tool.read(tool.query([]), output, 0);
    if (message.error !== null && message.devices.length === 0) return message;
  }
  return null;
}

/** A library's answer as printed by a user: its controllers, as far as they are included. */
function readInspected(text: string): ToolReading {
  const controllers = [...text.matchAll(/\{[^{}]*\bbus:[^{}]*\}/g)].map(([object]) => {
    const value = (key: string) => new RegExp(`\\b${key}: '([^']*)'`).exec(object)?.[1];
    return {
      vendor: value('vendor') ?? '',
      model: value('model') ?? '',
      busAddress: value('busAddress') ?? null,
    };
  });
  const devices = adaptersOf(text.includes('undefined') ? [undefined, ...controllers] : controllers);
  return { ...EMPTY_READING, devices: devices.map(adapterDevice) };
}

/** The output of the process: a recording keeps one stream and states it if it is stderr. */
function recordedOutput(recording: Recording, text: string): ToolOutput {
  const isStderr = recording.stream === 'stderr';
  const exitCode = recording.exitCode ?? null;
  return plainOutput({ stdout: isStderr ? '' : text, stderr: isStderr ? text : '', exitCode });
}
