import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nvidiaSmi } from '../../../src/gpu/tools/nvidiaSmi';
import { acceleratorSmi } from '../../../src/gpu/tools/acceleratorSmi';
import { amdSmi } from '../../../src/gpu/tools/amdSmi';
import { ioreg, powermetrics } from '../../../src/gpu/tools/apple';
import { gpustat } from '../../../src/gpu/tools/gpustat';
import { nvitop } from '../../../src/gpu/tools/nvitop';
import { dcgm } from '../../../src/gpu/tools/dcgm';
import { tegrastats } from '../../../src/gpu/tools/tegrastats';
import { xpuSmi } from '../../../src/gpu/tools/xpuSmi';
import { rocmSmi } from '../../../src/gpu/tools/rocmSmi';
import type { GpuTool, ToolReading } from '../../../src/gpu/tool';

const readBy = (tool: GpuTool, args: readonly string[], stdout: string): ToolReading =>
  tool.read(args, { stdout, stderr: '', exitCode: 0 }, 0);

/** Outputs as people's programs and pages leave them, from blind rounds 36 to 38. */
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

  it('rocm-smi of ROCm 1.6, with ids and an empty cell', () => {
    const text = ` GPU  DID    Temp     AvgPwr   SCLK     MCLK     Fan      Perf    OverDrive  ECC
GPU[0]         : PowerPlay not enabled - Cannot get supported clocks
  0   0402   N/A      N/A      N/A      N/A      None%              N/A      N/A
  1   67df   48.0c    N/A      600Mhz   1750Mhz  42.75%   auto      0%       N/A
`;
    const { samples } = readBy(rocmSmi, [], text);
    assert.deepEqual(
      samples.map(({ tempC, clockSmMHz, clockMemMHz, fanPct }) => [tempC, clockSmMHz, clockMemMHz, fanPct]),
      [
        [null, null, null, null],
        [48, 600, 1750, 42.75],
      ],
    );
  });

  it('rocm-smi above its table of addresses has no further rows', () => {
    const text = `GPU  Temp   AvgPwr  SCLK    MCLK     Fan    Perf  PwrCap  VRAM%  GPU%
0    42.0c  39.02W  600Mhz  2700Mhz  None%  auto  N/A       5%   0%
GPU  DID   GFX RAS  SDMA RAS  UMC RAS  VBIOS            BUS
0    164e  N/A      N/A       N/A      102-RAPHAEL-008  0000:12:00.0
`;
    const { samples } = readBy(rocmSmi, [], text);
    assert.deepEqual(
      samples.map(({ tempC, memoryUsedPct }) => [tempC, memoryUsedPct]),
      [[42, 5]],
    );
  });

  it('a command before a table is not a row of it', () => {
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

  it('tegrastats whose lines were wrapped', () => {
    const text = `07-25-2026 09:08:28 RAM 20642/62817MB (lfb 1x2MB) CPU [23%@2201,10%@2201,...] EMC_FREQ 3%@3199 \\
GR3D_FREQ 7%@[1300,1300] NVENC0 off NVDEC0 off ... APE 174 cpu@52.968C/52.968C ...
RAM 3029/3956MB (lfb 46x4MB) SWAP 429/1978MB (cached 15MB)
CPU [24%@921,23%@921,19%@921,15%@921]
EMC_FREQ 0% GR3D_FREQ 51% PLL@44C
CPU@47C PMIC@100C GPU@46.5C AO@53C
POM_5V_GPU 2204/2170 POM_5V_CPU 708/845
Done.
`;
    const { samples } = readBy(tegrastats, [], text);
    assert.deepEqual(
      samples.map(({ memoryUsedMiB, utilPct, clockSmMHz, tempC, powerW }) => [
        memoryUsedMiB,
        utilPct,
        clockSmMHz,
        tempC,
        powerW,
      ]),
      [
        [20642, 7, 1300, null, null],
        [3029, 51, null, 46.5, 2.204],
      ],
    );
  });

  it('nvidia-smi in the lines of an old nvitop', () => {
    const text = `╒═════════════════════════════════════════════════════════════════════════════╕
│ NVIDIA-SMI 460.32.03    Driver Version: 460.32.03    CUDA Version: 11.2     │
├───────────────────────────────┬──────────────────────┬──────────────────────┤
│ GPU  Name        Persistence-M│ Bus-Id        Disp.A │ Volatile Uncorr. ECC │
│ Fan  Temp  Perf  Pwr:Usage/Cap│         Memory-Usage │ GPU-Util  Compute M. │
╞═══════════════════════════════╪══════════════════════╪══════════════════════╪════════════════════╕
│   0  Tesla P40           On   │ 00000000:3B:00.0 Off │                    0 │ MEM: ▏ 0.0%        │
│ MAX   20C    P8     9W / 250W │      1.5GiB / 22.38GiB │      0%    Default │ UTL: ▏ 0%          │
╘═══════════════════════════════╧══════════════════════╧══════════════════════╧════════════════════╛
`;
    for (const read of [readBy(nvidiaSmi, [], text), readBy(nvitop, ['-1'], text)]) {
      const [device] = read.devices;
      const [sample] = read.samples;
      assert.deepEqual(
        [device?.name, device?.memoryTotalMiB, sample?.memoryUsedMiB, sample?.powerLimitW],
        ['Tesla P40', 22.38 * 1024, 1536, 250],
      );
      assert.deepEqual([read.driverVersion, read.cudaVersion], ['460.32.03', '11.2']);
    }
  });

  it('gpustat in one line', () => {
    const text =
      "juliet Sun Dec 10 16:18:40 2023 525.147.05 [0] NVIDIA GeForce RTX 3090 | 21'C, 0 % | 319 / 24576 MB | [1] NVIDIA GeForce RTX 3090 | 22'C, 8 % | 320 / 24576 MB | me(316M) [2] NVIDIA A100 | 24'C, 0 % | 1 / 40960 MB |\n";
    const { devices, samples } = readBy(gpustat, [], text);
    assert.deepEqual(
      devices.map(({ index, name, memoryTotalMiB }, at) => [
        index,
        name,
        memoryTotalMiB,
        samples[at]?.memoryUsedMiB,
        samples[at]?.utilPct,
      ]),
      [
        [0, 'NVIDIA GeForce RTX 3090', 24576, 319, 0],
        [1, 'NVIDIA GeForce RTX 3090', 24576, 320, 8],
        [2, 'NVIDIA A100', 40960, 1, 0],
      ],
    );
  });
});

describe('gpu: parts of outputs', () => {
  it('the lower part of xpu-smi stats', () => {
    const text = `| Mem Errors Uncorrectable    | N/A                                                                |
+-----------------------------+--------------------------------------------------------------------+
| GPU Power (W)               | 125                                                                |
| GPU Frequency (MHz)         | 2000                                                               |
| GPU Core Temperature (C)    | N/A                                                                |
| GPU Memory Used (MiB)       | 31                                                                 |
+-----------------------------+--------------------------------------------------------------------+
`;
    const [sample, ...others] = readBy(xpuSmi, ['stats', '-d', '0'], text).samples;
    assert.deepEqual(others, []);
    assert.deepEqual(
      [sample?.powerW, sample?.clockSmMHz, sample?.memoryUsedMiB, sample?.tempC],
      [125, 2000, 31, null],
    );
  });

  it('powermetrics with the power of the chip in front of the GPU', () => {
    const block = (power: number, busy: number) =>
      `CPU Power: 8916 mW\nGPU Power: ${power} mW\nANE Power: 0 mW\n\nGPU HW active frequency: 1380 MHz\nGPU HW active residency: ${busy}% (338 MHz: 0%)\nGPU idle residency: 1%\n\n`;
    const { samples } = readBy(powermetrics, [], block(9462, 100) + block(45, 3));
    assert.deepEqual(
      samples.map(({ powerW, utilPct }) => [powerW, utilPct]),
      [
        [9.462, 100],
        [0.045, 3],
      ],
    );
  });

  it("the system memory of a Mac's Intel GPU", () => {
    const text = `+-o IntelAccelerator  <class IntelAccelerator, id 0x10000033b, registered, matched, active, busy 0>
      "PerformanceStatistics" = {"Device Utilization %"=7,"In use system memory"=268435456}
      "model" = <"Intel(R) UHD Graphics 630">
`;
    const { devices, samples } = readBy(ioreg, [], text);
    assert.deepEqual([devices[0]?.vendor, samples[0]?.memoryUsedMiB], ['intel', 256]);
  });

  it('the version above the table of amd-smi monitor', () => {
    const text = `AMDSMI Tool: 24.6.2+2b02a07 | AMDSMI Library version: 24.6.2.0 | ROCm version: 6.2.2
GPU  POWER  GPU_TEMP  MEM_TEMP  GFX_UTIL  GFX_CLOCK  MEM_UTIL  MEM_CLOCK
  0  126 W     40 °C     32 °C       1 %    182 MHz       0 %    900 MHz
`;
    const { rocmVersion, samples } = readBy(amdSmi, ['monitor', '-ptum'], text);
    assert.deepEqual([rocmVersion, samples[0]?.powerW], ['6.2.2', 126]);
  });
});

describe('gpu: parts of an output', () => {
  it('an excerpt of nvidia-smi -q that begins with its ids', () => {
    const text = `    Serial Number                         : 0324917182924
    GPU UUID                              : GPU-e2336a65-b527-8ba6-c005-209ebc071c78
    PCI
        Bus                               : 0x82
        Bus Id                            : 00000000:82:00.0
`;
    const { devices } = readBy(nvidiaSmi, ['-q'], text);
    assert.deepEqual(
      devices.map(({ uuid, pciBusId }) => [uuid, pciBusId]),
      [['GPU-e2336a65-b527-8ba6-c005-209ebc071c78', '00000000:82:00.0']],
    );
  });

  it('gpustat pads small totals', () => {
    const { devices, samples } = readBy(
      gpustat,
      [],
      "[0] GeForce GT 650M  | 47'C,  ?? % |     0 /  1999 MB | (Not Supported)\n",
    );
    assert.deepEqual([devices[0]?.memoryTotalMiB, samples[0]?.tempC, samples[0]?.utilPct], [1999, 47, null]);
  });
});

describe('gpu: tables of other makers', () => {
  const text = (file: string): string =>
    readFileSync(join('test/fixtures/telemetry/recordings', file), 'utf8');

  it('have no numbers in a column with another number of words, and none for a card that is not named', () => {
    const table = text('hl-gaudi2-121.txt')
      .replace('| N/A   35C   P0  525W /  600W  |', '| 35C   P0  525W /  600W  |')
      .replace('|   1  HL-225              N/A  |', '|   HL-225              N/A      |');
    const { devices, samples } = readBy(acceleratorSmi, [], table);
    assert.deepEqual(
      devices.map(({ index, memoryTotalMiB }) => [index, memoryTotalMiB]),
      [[0, 98_304]],
    );
    assert.deepEqual(
      samples.map(({ tempC, powerW, fanPct, utilPct }) => [tempC, powerW, fanPct, utilPct]),
      [[null, null, null, 88]],
    );
  });

  it('are not those of nvidia-smi', () => {
    const { devices } = readBy(acceleratorSmi, [], text('nv-table-h200mig-590-load.txt'));
    assert.deepEqual(devices, []);
  });
});

describe('gpu: what an old or a copied output has', () => {
  it('processes of nvitop between rules', () => {
    const text = `+=============================================================================+
| NVITOP 1.6.2      Driver Version: 570.211.01      CUDA Driver Version: 12.8 |
|-------------------------------+----------------------+----------------------|
|   0  ..la V100-SXM2-16GB  Off | 00000000:04:00.0 Off |                    0 |
| N/A   44C   P0     69W / 300W |   9319MiB / 16384MiB |     48%      Default |
+===============================+======================+======================+
| GPU     PID      USER  GPU-MEM %SM %GMBW  %CPU  %MEM  TIME  COMMAND         |
|=============================================================================|
|   0   18830 C phungk+  9316MiB  76    53   0.0   1.2  5:39  /usr/local/bi.. |
|-----------------------------------------------------------------------------|
|   1   18831 C phungk+ 306.0MiB   0   N/A   0.0   1.2  5:39  /usr/local/bi.. |
`;
    const { processes } = readBy(nvitop, ['-1'], text);
    assert.deepEqual(
      processes.map(({ gpuIndex, pid, memoryUsedMiB, smPct, memBusyPct, user }) => [
        ...[gpuIndex, pid, memoryUsedMiB],
        ...[smPct, memBusyPct, user],
      ]),
      [
        [0, 18830, 9316, 76, 53, 'phungk+'],
        [1, 18831, 306, 0, null, 'phungk+'],
      ],
    );
  });

  it('one memory and compute processes in the XML of drivers before 319', () => {
    const text = `<nvidia_smi_log><gpu id="0000:14:00.0"><product_name>Tesla M2090</product_name>
<memory_usage><total>5375 MB</total><used>2594 MB</used><free>2781 MB</free></memory_usage>
<compute_processes><process_info><pid>26931</pid><process_name>/usr/bin/python</process_name>
<used_memory>2577 MB</used_memory></process_info></compute_processes></gpu></nvidia_smi_log>`;
    const { devices, samples, processes } = readBy(nvidiaSmi, ['-q', '-x'], text);
    assert.deepEqual(
      [devices[0]?.memoryTotalMiB, samples[0]?.memoryUsedMiB, samples[0]?.memoryFreeMiB],
      [5375, 2594, 2781],
    );
    assert.deepEqual([processes[0]?.pid, processes[0]?.memoryUsedMiB], [26931, 2577]);
  });

  it('one GPU of DCGM whose lines have more or fewer labels', () => {
    const text = `DCGM_FI_DEV_GPU_UTIL{gpu="0",UUID="GPU-a1b2",Hostname="node-07"} 97
DCGM_FI_DEV_GPU_TEMP{gpu="0",UUID="GPU-a1b2",pod="job-0"} 79
`;
    const { devices, samples } = readBy(dcgm, [], text);
    assert.deepEqual(
      [devices.length, devices[0]?.node, samples[0]?.utilPct, samples[0]?.tempC],
      [1, 'node-07', 97, 79],
    );
  });
});
