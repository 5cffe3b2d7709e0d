import assert from 'node:assert/strict';
import { parseTarget } from '../../../src/core/hardware/target';
import { copiedGpus } from '../../../src/gpu/copied';
import { readPasted } from '../../../src/gpu/pasted';
import { gpuTools } from '../../../src/gpu/tools/registry';
import { theGpus } from '../core/support';

const copied = (text: string) =>
  copiedGpus(text, theGpus).map(({ target, value }) => [
    value,
    target.count,
    target.totalMiB,
    target.usableMiB - target.busyMiB < target.totalMiB,
  ]);

describe('gpu: a copied output', () => {
  it('has targets, equal and equally busy GPUs as one, with values that the setting takes', () => {
    const text = `> name, memory.total [MiB], memory.used [MiB]
> NVIDIA GeForce RTX 4090, 24564 MiB, 20000 MiB
> NVIDIA GeForce RTX 3090, 24576 MiB, 10 MiB
> NVIDIA GeForce RTX 3090, 24576 MiB, 12 MiB
`;
    assert.deepEqual(copied(text), [
      ['2x RTX 3090', 2, 24576, true],
      ['RTX 4090', 1, 24564, true],
    ]);
  });

  it('may have tables whose lines another program drew', () => {
    const text = `┌─────────────────────────────┬────────────────────────┐
│ GPU Power (W)               │ 125                    │
│ GPU Core Temperature (C)    │ 41                     │
│ GPU Memory Used (MiB)       │ 31                     │
└─────────────────────────────┴────────────────────────┘
`;
    assert.deepEqual(
      readPasted(text, gpuTools, 0)?.reading.samples.map(({ powerW, memoryUsedMiB }) => [
        powerW,
        memoryUsedMiB,
      ]),
      [[125, 31]],
    );
  });

  it('has an amount of memory for a GPU that nobody knows, whatever its name says', () => {
    const text = `name, memory.total [MiB], memory.used [MiB]
$(bug) [x](command:y)\u001B]0;t\u0007, 10240 MiB, 0 MiB
`;
    const [found, ...others] = copiedGpus(text, theGpus);
    assert.deepEqual(others, []);
    assert.equal(found?.value, '10GB');
    assert.ok(parseTarget(found.value, theGpus, { count: null, nodes: 1 }).ok);
  });

  it('has none in other texts, nor in one that is too long', () => {
    assert.deepEqual(copied(''), []);
    assert.deepEqual(copied('lr: 1e-4\nbatch_size: 8\n'), []);
    assert.deepEqual(copied('GPU 0: NVIDIA H100 (UUID: GPU-1)\n'.repeat(10_000)), []);
  });
});
