import assert from 'node:assert/strict';
import { nvidiaSmi } from '../../../src/gpu/tools/nvidiaSmi';
import { rocmSmi } from '../../../src/gpu/tools/rocmSmi';
import type { GpuTool, ToolReading } from '../../../src/gpu/tool';

const readBy = (tool: GpuTool, args: readonly string[], stdout: string): ToolReading =>
  tool.read(args, { stdout, stderr: '', exitCode: 0 }, 0);

/** Outputs as people's programs and pages leave them, from blind rounds 36 and 37. */
describe('gpu: tables whose spacing was lost', () => {
  it('rocm-smi with single spaces between some columns', () => {
    const text = `====================================================== Concise Info ======================================================
Device Node IDs       Temp    Power   Partitions     SCLK   MCLK  Fan Perf PwrCap VRAM% GPU%
       (DID,   GUID) (Junction) (Socket) (Mem, Compute, ID)
==========================================================================================================================
0    2   0x74a1,  55354 47.0°C   178.0W  NPS1, SPX, 0    2106Mhz 900Mhz 0%  auto 500.0W 40%  0%
5    7   0x74a1,  705  40.0°C   184.0W  NPS1, SPX, 0    2105Mhz 900Mhz 0%  auto 750.0W 40%  3%
==========================================================================================================================
`;
    const { devices, samples } = readBy(rocmSmi, [], text);
    assert.deepEqual(
      devices.map(({ index }) => index),
      [0, 5],
    );
    assert.deepEqual(
      samples.map(({ tempC, powerW, powerLimitW, utilPct, fanPct, clockSmMHz, memoryUsedPct }) => [
        tempC,
        powerW,
        powerLimitW,
        utilPct,
        fanPct,
        clockSmMHz,
        memoryUsedPct,
      ]),
      [
        [47, 178, 500, 0, 0, 2106, 40],
        [40, 184, 750, 3, 0, 2105, 40],
      ],
    );
  });

  it('a command before a table is no row of it', () => {
    const query = '--query-gpu=name,temperature.gpu,memory.used';
    const text = `$ nvidia-smi ${query} --format=csv
name, temperature.gpu, memory.used [MiB]
NVIDIA GB10, 51, [N/A]
`;
    const { devices } = readBy(nvidiaSmi, [query, '--format=csv'], text);
    assert.deepEqual(
      devices.map(({ name }) => name),
      ['NVIDIA GB10'],
    );
  });
});
