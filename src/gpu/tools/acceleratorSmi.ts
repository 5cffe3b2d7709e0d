import { readSmiTables } from '../other/smiTable';
import { Problems } from '../problems';
import { ONE_SHOT } from '../tool';
import type { GpuTool } from '../tool';

const problems = new Problems('hl-smi, npu-smi, cnmon, ixsmi, mx-smi or mthreads-gmi');

/** The tools of other makers of accelerators, read where their tables are pasted. */
export const acceleratorSmi: GpuTool = {
  ...ONE_SHOT,
  id: 'accelerator-smi',
  vendor: 'unknown',
  executables: () => [],
  query: () => [],
  canRead: () => true,
  read: (_, output, receivedMs) => {
    const reading = readSmiTables(output.stdout, receivedMs);
    return { ...reading, error: problems.of(output, reading.devices.length > 0) };
  },
  problem: problems.problem,
};
