import { EMPTY_READING } from './tool';
import type { GpuTool, ToolError, ToolErrorKind, ToolOutput, ToolReading } from './tool';
import { phrase } from '../core/text/say';

/** A tool's error messages, most specific first; `^` is the start of a line. */
export type ErrorPatterns = readonly (readonly [ToolErrorKind, RegExp])[];

const MESSAGES: Readonly<Record<ToolErrorKind, (tool: string) => string>> = {
  'command-not-found': tool => phrase`${tool} was not found.`,
  'driver-not-loaded': tool => phrase`${tool} cannot reach the GPU driver. Load it or restart the machine.`,
  'driver-library-mismatch': () => phrase`The GPU driver was updated while running. Restart the machine.`,
  'nvml-missing': tool => phrase`${tool} cannot find its library.`,
  'gpu-access-blocked': () => phrase`The operating system blocks GPU access in this environment.`,
  'gpu-lost': () =>
    phrase`A GPU has fallen off the bus. Restart the machine and check its power and cooling.`,
  'no-devices': tool => phrase`${tool} runs, but no GPU is visible here.`,
  'invalid-field': () => phrase`This driver does not support a queried field.`,
  'invalid-argument': tool => phrase`This ${tool} does not support an option.`,
  'insufficient-permissions': tool => phrase`This user has no permission to query GPUs with ${tool}.`,
  'device-not-found': tool => phrase`${tool} has no GPU of this number.`,
  'invalid-subcommand': tool => phrase`This ${tool} does not support a command.`,
  'not-supported': tool => phrase`${tool} cannot read this GPU.`,
  'field-unavailable': tool => phrase`The driver has no value for the query of ${tool}.`,
  'timed-out': tool => phrase`${tool} did not answer. The driver may be stuck.`,
  unreadable: tool => phrase`The output of ${tool} could not be parsed.`,
};

/** Messages of the shell or the system about any program. */
const COMMON: ErrorPatterns = [
  ['command-not-found', /command not found|is not recognized as an internal|No such file or directory/i],
];

interface Message {
  readonly kind: ToolErrorKind;
  readonly line: string;
}

/** What was found in an output: pasted text is read as many forms of many tools. */
const searched = new WeakMap<ToolOutput, Map<ErrorPatterns, Message | null>>();

/** The first line of an output with a message, within so many characters of it and in its errors. */
export function messageIn(output: ToolOutput, patterns: ErrorPatterns, within = Infinity): Message | null {
  const known = searched.get(output) ?? new Map<ErrorPatterns, Message | null>();
  searched.set(output, known);
  const found = known.get(patterns);
  if (found !== undefined) return found;
  const message = search(saidIn(output, within), patterns);
  known.set(patterns, message);
  return message;
}

/** The whole text is searched before its lines, because most texts have no message. */
function search(text: string, patterns: ErrorPatterns): Message | null {
  for (const [kind, pattern] of patterns) {
    if (!pattern.test(text)) continue;
    const line = text.split(/\r?\n/).find(candidate => pattern.test(candidate));
    if (line !== undefined) return { kind, line };
  }
  return null;
}

const saidIn = (output: ToolOutput, within: number): string =>
  `${output.stdout.slice(0, within)}\n${output.stderr}`;

const MOST_WORDS = 300;

/** A tool that fails says so at once: characters of its output. */
const SAID_WITHIN = 20_000;

/** Reads one form of a tool's output. */
type ReadForm = (
  text: string,
  receivedMs: number,
  output: ToolOutput,
  args: readonly string[],
) => ToolReading;

/** A tool's failures, with its own words and ours. */
export class Problems {
  constructor(
    private readonly tool: string,
    private readonly patterns: ErrorPatterns = [],
    private readonly messages: Partial<Readonly<Record<ToolErrorKind, string>>> = {},
  ) {}

  readonly problem = (kind: ToolErrorKind, text: string): ToolError => ({
    kind,
    message: this.messages[kind] ?? MESSAGES[kind](this.tool),
    text: text.trim().slice(0, MOST_WORDS),
  });

  /** How a tool reads its output: by the first form that finds a device, else the last, with why there is none. */
  reads(...forms: readonly ReadForm[]): Pick<GpuTool, 'read' | 'problem'> {
    return {
      problem: this.problem,
      read: (args, output, receivedMs) => {
        let reading = EMPTY_READING;
        for (const form of forms) {
          if (reading.devices.length === 0) reading = form(output.stdout, receivedMs, output, args);
        }
        return { ...reading, error: this.of(output, reading.devices.length > 0) };
      },
    };
  }

  /** Why nothing was read; null if there is no error, or if something was read. */
  of(output: ToolOutput, hasRead: boolean): ToolError | null {
    if (hasRead) return null;
    const found = messageIn(output, this.patterns, SAID_WITHIN) ?? messageIn(output, COMMON, SAID_WITHIN);
    if (found !== null) return this.problem(found.kind, found.line);
    if (output.exitCode === null || output.exitCode === 0) return null;
    const lines = saidIn(output, SAID_WITHIN).split(/\r?\n/);
    if (output.exitCode === 127) return this.problem('command-not-found', lines[0] ?? '');
    return this.problem('unreadable', lines.find(line => line.trim() !== '') ?? '');
  }
}
