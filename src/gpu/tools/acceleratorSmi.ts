import { readSmiTables } from '../other/smiTable';
import { readOwnCsv, readStated } from '../other/stated';
import { Problems } from '../problems';
import { EMPTY_READING, ONE_SHOT } from '../tool';
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
    const readings = [
      readSmiTables(output.stdout, receivedMs),
      readStated(output.stdout, receivedMs),
      readOwnCsv(output, receivedMs),
    ];
    const [first = EMPTY_READING] = readings;
    const reading = readings.find(({ devices }) => devices.length > 0) ?? first;
    return { ...reading, error: problems.of(output, reading.devices.length > 0) };
  },
  problem: problems.problem,
};
