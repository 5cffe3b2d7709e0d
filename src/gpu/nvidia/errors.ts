import type { ToolError, ToolErrorKind, ToolOutput } from '../tool';

/** What nvidia-smi says when it cannot answer, most telling first. Its exit codes alone are the second witness. */
const SAYINGS: readonly (readonly [ToolErrorKind, RegExp])[] = [
  ['invalid-field', /Field "[^"]*" is not a valid field to query/],
  ['driver-not-loaded', /couldn't communicate with the NVIDIA driver|Driver Not Loaded/i],
  ['driver-library-mismatch', /Driver\/library version mismatch/i],
  ['nvml-missing', /couldn't find libnvidia-ml|NVML: (?:NVML )?Shared Library Not Found|libnvidia-ml\.so/i],
  ['gpu-access-blocked', /GPU access blocked by the operating system/i],
  [
    'gpu-lost',
    /Unable to determine the device handle|(?<!\[)GPU is lost|(?<!\[)GPU requires reset|Reboot the system to recover/i,
  ],
  ['no-devices', /No devices were found/i],
  ['insufficient-permissions', /(?<!\[)Insufficient Permissions/],
  ['command-not-found', /command not found|is not recognized as an internal|No such file or directory/i],
  ['invalid-argument', /ERROR: Option|Invalid combination of input arguments|Please run 'nvidia-smi -h'/],
];

/** Return codes of the nvidia-smi manual, where they say why. 14 (infoROM) is no error: the rows are good. */
const CODES: Readonly<Record<number, ToolErrorKind>> = {
  2: 'invalid-argument',
  3: 'invalid-argument',
  4: 'insufficient-permissions',
  6: 'no-devices',
  9: 'driver-not-loaded',
  12: 'nvml-missing',
  13: 'driver-library-mismatch',
  15: 'gpu-lost',
  18: 'driver-library-mismatch',
  127: 'command-not-found',
};

const MESSAGES: Readonly<Record<ToolErrorKind, string>> = {
  'command-not-found': 'nvidia-smi was not found; it comes with the NVIDIA driver.',
  'driver-not-loaded': 'The NVIDIA driver is not running; load it or restart the machine.',
  'driver-library-mismatch':
    'The NVIDIA driver was updated while it ran; restart the machine (or reload its kernel module).',
  'nvml-missing':
    'nvidia-smi cannot find libnvidia-ml; in a container, start it with the NVIDIA runtime (--gpus all).',
  'gpu-access-blocked': 'The operating system keeps GPUs from this environment (WSL needs a WDDM driver).',
  'gpu-lost': 'A GPU has fallen off the bus; restart the machine, and look at its power and cooling.',
  'no-devices':
    'The driver runs, but no GPU is visible here (a job without GPUs, or a container without any).',
  'invalid-field': 'This driver does not know a field that was asked for.',
  'invalid-argument': 'This nvidia-smi does not know an option that was used.',
  'insufficient-permissions': 'This user may not query the GPUs.',
  'device-not-found': 'There is no GPU of this number.',
  'invalid-subcommand': 'This nvidia-smi does not know a command that was used.',
  'not-supported': 'This GPU does not support what was asked.',
  'field-unavailable': 'The driver has no value for what was asked.',
  'timed-out': 'nvidia-smi did not answer; the driver may be stuck.',
  unreadable: 'nvidia-smi answered with something that could not be read.',
};

/** Why there are no (or not all) rows; null when nothing is wrong. */
export function errorOf(output: ToolOutput, hasRows: boolean): ToolError | null {
  const text = `${output.stdout}\n${output.stderr}`;
  for (const [kind, saying] of SAYINGS) {
    const line = text.split(/\r?\n/).find(candidate => saying.test(candidate));
    if (line !== undefined) return toolError(kind, line);
  }
  if (hasRows || output.exitCode === null || output.exitCode === 0 || output.exitCode === 14) return null;
  return toolError(CODES[output.exitCode] ?? 'unreadable', text.trim().split(/\r?\n/)[0] ?? '');
}

export function toolError(kind: ToolErrorKind, text: string): ToolError {
  return { kind, message: MESSAGES[kind], text: text.trim().slice(0, 300) };
}

/** Whether a line is one of these messages, not a row. */
export function isMessage(line: string): boolean {
  return SAYINGS.some(([, saying]) => saying.test(line));
}

const WARNING = /^WARNING:\s*(.*)$/i;
const INFOROM = /infoROM is corrupted at gpu (\S+)/i;

/** A warning line's text; null when the line is none. */
export function warningOf(line: string): string | null {
  const found = WARNING.exec(line.trim());
  if (!found) return null;
  const rom = INFOROM.exec(line);
  return rom ? `infoROM corrupted ${rom[1] ?? ''}` : (found[1] ?? '');
}
