import type { ToolRunner } from './runner';
import type { Timers } from './timers';
import { EMPTY_READING } from './tool';
import type { GpuTool, ToolReading } from './tool';

/** A tool that has answered once, and how to query it again. */
export interface Source {
  readonly tool: GpuTool;
  readonly executable: string;
  /** Fields that this driver lacks. */
  readonly unknownFields: readonly string[];
  /** The number of devices it reported. */
  readonly devices: number;
  /** Maps keys of its samples to better keys of the devices (an index to a UUID); absent: not needed. */
  readonly keys?: Readonly<Record<string, string>>;
  /** Keys of samples to ignore, because another tool reports these devices. */
  readonly hidden?: readonly string[];
}

interface Answer {
  readonly reading: ToolReading;
  readonly unknownFields: readonly string[];
}

/** The first query after a while loads the driver: up to 10 s on machines with many GPUs. */
export const FIRST_TIMEOUT_MS = 15_000;

/** A driver that lacks more fields does not suit the query at all. */
const MOST_UNKNOWN_FIELDS = 8;

/**
 * Queries devices and samples. nvidia-smi refuses all fields if one is unknown to the driver, and names it; that
 * field is dropped and the query repeated.
 */
export async function ask(
  runner: ToolRunner,
  tool: GpuTool,
  known: readonly string[],
  timers: Timers,
  timeoutMs: number,
): Promise<Answer> {
  const unknownFields = [...known];
  for (;;) {
    const reading = await readOnce(runner, tool, tool.query(unknownFields), timers, timeoutMs);
    const field = reading.error?.kind === 'invalid-field' ? tool.unknownField(reading.error) : null;
    const isNew = field !== null && !unknownFields.includes(field);
    if (!isNew || unknownFields.length >= MOST_UNKNOWN_FIELDS) return { reading, unknownFields };
    unknownFields.push(field);
  }
}

/** Runs a tool once and parses its output; a failure is the reading's error. */
export async function readOnce(
  runner: ToolRunner,
  tool: GpuTool,
  args: readonly string[],
  timers: Timers,
  timeoutMs: number,
): Promise<ToolReading> {
  if (tool.neverEnds) return firstOf(runner, tool, args, timers, timeoutMs);
  const run = await runner.run(args, timeoutMs);
  if (run.ok) return tool.read(args, run.output, timers.now());
  const kind = run.why === 'timed-out' || run.why === 'busy' ? 'timed-out' : 'command-not-found';
  return { ...EMPTY_READING, error: tool.problem(kind, run.why) };
}

/** The first complete reading of a tool that runs until it is stopped. */
function firstOf(
  runner: ToolRunner,
  tool: GpuTool,
  args: readonly string[],
  timers: Timers,
  timeoutMs: number,
): Promise<ToolReading> {
  return new Promise(resolve => {
    const reader = tool.streamReader(args, 1);
    let isDone = false;
    const finish = (reading: ToolReading) => {
      if (isDone) return;
      isDone = true;
      cancel();
      stream?.stop();
      resolve(reading);
    };
    const cancel = timers.after(timeoutMs, () =>
      finish({ ...EMPTY_READING, error: tool.problem('timed-out', '') }),
    );
    const stream = runner.stream(args, {
      line: text => {
        const [reading] = reader.line(text, timers.now());
        if (reading) finish(reading);
      },
      end: (output, found) => {
        const missing = { ...EMPTY_READING, error: tool.problem('command-not-found', 'not-found') };
        finish(found ? tool.read(args, output, timers.now()) : missing);
      },
    });
    if (stream === null) finish({ ...EMPTY_READING, error: tool.problem('timed-out', 'busy') });
  });
}
