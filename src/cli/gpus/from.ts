import { boundedText } from '../../files/bounded';
import type { HostReading } from '../../gpu/fleet';
import { readPasted } from '../../gpu/pasted';
import { gpuTools } from '../../gpu/tools/registry';
import { BadInput } from '../output';

/** The GPUs in a file with a tool's output, from another machine or another time. */
export async function readingFrom(path: string): Promise<HostReading> {
  const text = await boundedText(path);
  if (text === null) throw new BadInput(`--from ${path}: not a readable file. Check the path.`);
  const nowMs = Date.now();
  const pasted = readPasted(text, gpuTools, nowMs);
  if (pasted === null) {
    throw new BadInput(
      `--from ${path}: no GPU is in it. Save the whole output of nvidia-smi or another tool.`,
    );
  }
  const { devices, samples, processes } = pasted.reading;
  return {
    host: { id: `file:${path}`, kind: 'local', name: path },
    status: {
      state: 'stale',
      message: null,
      todo: null,
      text: null,
      sinceMs: nowMs,
      nextTryMs: null,
      collector: pasted.tool,
      latencyMs: null,
    },
    devices,
    samples,
    processes: processes.length > 0 ? processes : null,
    machine: null,
    capacities: [],
  };
}
