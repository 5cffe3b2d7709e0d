import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { heldBy, mostHeld } from '../../../src/gpu/ofProcesses';
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

const run = new Set([10, 11]);

describe('gpu: memory of the processes of a run', () => {
  it('is summed by device, and leaves out what others hold', () => {
    const list = [
      process(10, 1000),
      process(11, 500, { deviceKey: 'GPU-1' }),
      process(10, 200, { deviceKey: 'GPU-1' }),
      process(99, 7000),
    ];
    const held = heldBy(list, run, 5);
    assert.deepEqual(
      [held?.timeMs, held?.totalMiB, [...(held?.byDevice ?? [])]],
      [
        5,
        1700,
        [
          ['GPU-0', 1000],
          ['GPU-1', 700],
        ],
      ],
    );
  });

  it('is not known where the list was not read, or has none of them', () => {
    assert.equal(heldBy(null, run, 0), null);
    assert.equal(heldBy([], run, 0), null);
    assert.equal(heldBy([process(99, 7000)], run, 0), null);
  });

  it('is not known where the tool lists a process without its memory', () => {
    const held = heldBy([process(10, null), process(11, 5)], run, 0);
    assert.deepEqual([held?.totalMiB, [...(held?.byDevice ?? [])]], [null, [['GPU-0', null]]]);
  });

  it('is one number for all GPUs where the tool counts by process', () => {
    const held = heldBy([process(10, 4000, { gpuIndices: [0, 1] })], run, 0);
    assert.deepEqual([held?.totalMiB, [...(held?.byDevice ?? [])]], [4000, [['GPU-0', null]]]);
  });

  it('counts one that computes and draws once, and one in two slices twice', () => {
    assert.equal(heldBy([process(10, 300), process(10, 300, { type: 'G' })], run, 0)?.totalMiB, 300);
    const slices = [process(10, 300, { gpuInstanceId: 1 }), process(10, 400, { gpuInstanceId: 2 })];
    assert.equal(heldBy(slices, run, 0)?.totalMiB, 700);
  });

  it('is at most what was held at some time, whatever came between', () => {
    const amounts = fc.array(fc.option(fc.integer({ min: 0, max: 100_000 })), {
      minLength: 1,
      maxLength: 40,
    });
    fc.assert(
      fc.property(amounts, values => {
        const series = values.flatMap((value, at) => heldBy([process(10, value)], run, at) ?? []);
        const known = values.filter(value => value !== null);
        const most = known.length === 0 ? null : Math.max(...known);
        const peak = mostHeld(series);
        assert.deepEqual([peak.totalMiB, peak.byDevice.get('GPU-0')], [most, most]);
      }),
    );
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
    const held = heldBy(placed(processes, devices), new Set([5021, 5022]), 0);
    assert.ok(held);
    assert.equal(held.totalMiB, 503 + 360);
    assert.deepEqual([...held.byDevice.values()], [503 + 360]);
  });
});
