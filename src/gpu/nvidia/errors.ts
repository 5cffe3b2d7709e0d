import { messageIn } from '../problems';
import type { ErrorPatterns } from '../problems';
import type { ToolError, ToolErrorKind, ToolOutput } from '../tool';

/** nvidia-smi's error messages, most specific first. Its exit codes are only used if there is no message. */
const ERROR_PATTERNS: ErrorPatterns = [
  ['invalid-field', /Field "[^"]*" is not a valid field to query/],
  ['driver-not-loaded', /couldn't communicate with the NVIDIA driver|Driver Not Loaded/i],
  ['driver-library-mismatch', /Driver\/library version mismatch/i],
  ['nvml-missing', /couldn't find libnvidia-ml|NVML: (?:NVML )?Shared Library Not Found|libnvidia-ml\.so/i],
  ['gpu-access-blocked', /GPU access blocked by the operating system/i],
  [
    'gpu-lost',
    /Unable to determine the device handle|^[^\S\n]*GPU (?:is lost|requires reset)\b|Reboot the system to recover/im,
  ],
  ['no-devices', /No devices were found/i],
  ['insufficient-permissions', /(?<![[>|][^\S\n]{0,8}|, | : )Insufficient Permissions/],
  ['command-not-found', /command not found|is not recognized as an internal|No such file or directory/i],
  // dmon and pmon of GeForce cards.
  ['not-supported', /^[^\S\n]*Not supported on the device/im],
  ['invalid-argument', /ERROR: Option|Invalid combination of input arguments|Please run 'nvidia-smi -h'/],
];

/** Return codes of the nvidia-smi manual that state a reason. 14 (infoROM) is not an error: the rows are good. */
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
  'command-not-found': 'nvidia-smi was not found. It comes with the NVIDIA driver.',
  'driver-not-loaded': 'The NVIDIA driver is not running. Load it or restart the machine.',
  'driver-library-mismatch':
    'The NVIDIA driver was updated while running. Restart the machine (or reload its kernel module).',
  'nvml-missing':
    'nvidia-smi cannot find libnvidia-ml. Start the container with the NVIDIA runtime (--gpus all).',
  'gpu-access-blocked':
    'The operating system blocks GPU access in this environment (WSL needs a WDDM driver).',
  'gpu-lost': 'A GPU has fallen off the bus. Restart the machine and check its power and cooling.',
  'no-devices': 'The driver runs, but no GPU is visible here (in a job or container without GPUs).',
  'invalid-field': 'This driver does not support a queried field.',
  'invalid-argument': 'This nvidia-smi does not support an option.',
  'insufficient-permissions': 'This user has no permission to query the GPUs.',
  'device-not-found': 'No GPU has this number.',
  'invalid-subcommand': 'This nvidia-smi does not support a command.',
  'not-supported': 'This GPU does not support the query.',
  'field-unavailable': 'The driver has no value for the query.',
  'timed-out': 'nvidia-smi did not answer. The driver may be stuck.',
  unreadable: 'The output of nvidia-smi could not be parsed.',
};

/** Why there are no (or not all) rows; null if nothing is wrong. */
export function errorOf(output: ToolOutput, hasRows: boolean): ToolError | null {
  const found = messageIn(output, ERROR_PATTERNS);
  // With rows, it was another command of the same session that was not found.
  const isOwn = found !== null && !(hasRows && found.kind === 'command-not-found');
  if (isOwn) return toolError(found.kind, found.line);
  if (hasRows || output.exitCode === null || output.exitCode === 0 || output.exitCode === 14) return null;
  const text = `${output.stdout}\n${output.stderr}`.trim();
  return toolError(CODES[output.exitCode] ?? 'unreadable', text.split(/\r?\n/)[0] ?? '');
}

export function toolError(kind: ToolErrorKind, text: string): ToolError {
  return { kind, message: MESSAGES[kind], text: text.trim().slice(0, 300) };
}

/** Whether a line is one of these messages instead of a row. */
export function isMessage(line: string): boolean {
  return ERROR_PATTERNS.some(([, pattern]) => pattern.test(line));
}

const WARNING = /^WARNING:\s*(.*)$/i;
const INFOROM = /infoROM is corrupted at gpu (\S+)/i;

/** A warning line's text; null for any other line. */
export function warningOf(line: string): string | null {
  const found = WARNING.exec(line.trim());
  if (!found) return null;
  const rom = INFOROM.exec(line);
  return rom ? `infoROM corrupted ${rom[1] ?? ''}` : (found[1] ?? '');
}
