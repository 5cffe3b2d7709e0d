import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { heldOnce } from '../../../src/gpu/processes';
import { placed } from '../../../src/gpu/rekey';
import type { GpuProcess } from '../../../src/gpu/sample';
import { nvidiaSmi } from '../../../src/gpu/tools/nvidiaSmi';

const process = (pid: number, memoryUsedMiB: number | null, more: Partial<GpuProcess> = {}): GpuProcess => ({
  pid,
  name: null,
  memoryUsedMiB,
  type: 'C',
  deviceKey: 'GPU-0',
  gpuIndex: null,
  gpuUuid: null,
  pciBusId: null,
  gpuInstanceId: null,
  computeInstanceId: null,
  ...more,
});

const held = (list: readonly GpuProcess[]) =>
  heldOnce(list).map(({ pid, deviceKey, memoryUsedMiB }) => [pid, deviceKey, memoryUsedMiB]);

describe('gpu: what processes hold', () => {
  it('stands by device', () => {
    const list = [process(10, 1000), process(10, 200, { deviceKey: 'GPU-1' }), process(99, 7000)];
    assert.deepEqual(held(list), [
      [10, 'GPU-0', 1000],
      [10, 'GPU-1', 200],
      [99, 'GPU-0', 7000],
    ]);
  });

  it('is not known of one GPU where the tool has one number for several', () => {
    assert.deepEqual(held([process(10, 4000, { gpuIndices: [0, 1] })]), [[10, 'GPU-0', null]]);
    assert.deepEqual(held([process(10, 4000, { gpuCount: 2 })]), [[10, 'GPU-0', null]]);
  });

  it('counts one that computes and draws once, and one in two slices twice', () => {
    const drawn = [process(10, null), process(10, 300, { type: 'G' }), process(10, 300)];
    assert.deepEqual(held(drawn), [[10, 'GPU-0', 300]]);
    const slices = [process(10, 300, { gpuInstanceId: 1 }), process(10, 400, { gpuInstanceId: 2 })];
    assert.equal(held(slices).length, 2);
  });

  it('is what nvidia-smi says of a real machine', () => {
    const read = (file: string, query: string) =>
      nvidiaSmi.read(
        [query, '--format=csv'],
        {
          stdout: readFileSync(resolve('test/fixtures/telemetry', file), 'utf8'),
          stderr: '',
          exitCode: 0,
        },
        0,
      );
    const { devices } = read('nv-csv-4080s-595-load.csv', '--query-gpu=x');
    const { processes } = read('nv-apps-4080s-595-load.csv', '--query-compute-apps=x');
    const own = heldOnce(placed(processes, devices)).filter(({ pid }) => pid === 5021 || pid === 5022);
    assert.deepEqual(
      own.map(({ memoryUsedMiB }) => memoryUsedMiB),
      [503, 360],
    );
  });
});
