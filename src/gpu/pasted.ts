import { drawnInAscii, unframed } from '../core/text/frame';
import type { GpuDevice } from './device';
import { plainOutput } from './parse/text';
import { MEASURES } from './sample';
import type { GpuSample } from './sample';
import type { GpuTool, ToolReading } from './tool';

/** An output that someone pasted into a file: the tool that printed it, and the last sample of each device in it. */
export interface Pasted {
  readonly tool: string;
  readonly reading: ToolReading;
}

/** The output of any tool, in whatever frame it comes; null if none of them reads a GPU in it. */
export function readPasted(text: string, tools: readonly GpuTool[], receivedMs: number): Pasted | null {
  const plain = unframed(text);
  // A program may have drawn the lines of a table anew; most readers know those of their tool only.
  return readPlain(plain, tools, receivedMs) ?? readPlain(drawnInAscii(plain), tools, receivedMs);
}

function readPlain(plain: string, tools: readonly GpuTool[], receivedMs: number): Pasted | null {
  const stdout = plain.endsWith('\n') ? plain : `${plain}\n`;
  const output = plainOutput({ stdout, stderr: '', exitCode: 0 });
  let best: Pasted | null = null;
  let most = LEAST_FACTS;
  for (const tool of tools) {
    for (const args of tool.forms ?? [tool.query([])]) {
      const reading = tool.read(args, output, receivedMs);
      const facts = reading.devices.reduce((sum, one, at) => sum + factsIn(one, reading.samples[at]), 0);
      if (facts <= most) continue;
      most = facts;
      best = { tool: tool.id, reading: lastOfEach(reading) };
    }
  }
  return best;
}

/** A single fact may be a coincidence: a number in a column of another tool. */
const LEAST_FACTS = 1;

function factsIn(
  { name, memoryTotalMiB, uuid, coreCount = null }: GpuDevice,
  sample: GpuSample | undefined,
): number {
  const measures = MEASURES.map(measure => sample?.[measure] ?? null);
  return [name, memoryTotalMiB, uuid, coreCount, ...measures].filter(value => value !== null).length;
}

/** A stream shows each device once per tick. */
function lastOfEach(reading: ToolReading): ToolReading {
  const last = new Map(reading.devices.map((device, at) => [device.key, at]));
  const at = [...last.values()];
  return {
    ...reading,
    devices: at.flatMap(one => reading.devices[one] ?? []),
    samples: at.flatMap(one => reading.samples[one] ?? []),
  };
}
