import { readSmiTables } from '../other/smiTable';
import { readOwnCsv, readStated } from '../other/stated';
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
  ...problems.reads((text, receivedMs, output) => {
    const tables = readSmiTables(text, receivedMs);
    const others = [readStated(text, receivedMs), readOwnCsv(output, receivedMs)];
    return [tables, ...others].find(({ devices }) => devices.length > 0) ?? tables;
  }),
};
