import { unknownDevice } from '../device';
import { amountOf, wordsOf } from '../parse/amount';
import { readingOf, shown } from '../parse/reading';
import { Problems } from '../problems';
import { ONE_SHOT } from '../tool';
import type { GpuTool } from '../tool';

const problems = new Problems('cuda-smi');

/** `Device 0 [PCIe 0:1:0.0]: GeForce GTX 750 Ti (CC 5.0): 5.0234 of 2047.7 MB (i.e. 0.245%) Free`; later ones say MiB. */
const ROW =
  /^\s{0,20}Device\s{1,4}(\d{1,3}) \[PCIe ([0-9A-Fa-f]{1,8}):([0-9A-Fa-f]{1,2}):([0-9A-Fa-f]{1,2})\.(\d)\]:\s{1,20}(\S[^(\n]{0,60}?) \(CC \d{1,3}\.\d\):\s{1,8}([\d.]{1,16}) of\s{1,8}([\d.]{1,16}) Mi?B (?:\([^)\n]{0,40}\) )?Free/gm;

/** Where macOS has no nvidia-smi; read where it is pasted. */
export const cudaSmi: GpuTool = {
  ...ONE_SHOT,
  id: 'cuda-smi',
  vendor: 'nvidia',
  executables: () => [],
  query: () => [],
  ...problems.reads((text, receivedMs) =>
    readingOf(
      [...text.matchAll(ROW)].map(
        ([, index, domain = '', bus = '', slot = '', part, name, free, total = '']) => {
          const pciBusId = `${domain.padStart(4, '0')}:${bus.padStart(2, '0')}:${slot.padStart(2, '0')}.${part}`;
          const device = unknownDevice({
            key: pciBusId,
            vendor: 'nvidia',
            index: Number(index),
            pciBusId,
            name: wordsOf(name),
            memoryTotalMiB: amountOf(total, 'MiB'),
            memoryKind: 'dedicated',
          });
          const used = String(Number(total) - Number(free));
          return shown(device, { memoryFreeMiB: [free], memoryUsedMiB: [used] }, receivedMs);
        },
      ),
    ),
  ),
};
