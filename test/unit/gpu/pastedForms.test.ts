import assert from 'node:assert/strict';
import { readPasted } from '../../../src/gpu/pasted';
import { gpuTools } from '../../../src/gpu/tools/registry';

const read = (...lines: readonly string[]) => {
  const reading = readPasted(lines.join('\n'), gpuTools, 0)?.reading;
  assert.ok(reading);
  return reading;
};

describe('gpu: outputs that people paste', function () {
  this.timeout(10_000);

  it('of hl-smi -Q', () => {
    const { devices, samples } = read(
      'index, bus_id, name, temperature.aip [C], memory.total [MiB], memory.used [MiB], utilization.aip [%]',
      '0, 0000:19:00.0, HL-225, 28 C, 98304 MiB, 768 MiB, 7 %',
    );
    assert.deepEqual(
      devices.map(({ name, pciBusId, vendor }) => [name, pciBusId, vendor]),
      [['HL-225', '0000:19:00.0', 'unknown']],
    );
    assert.deepEqual(
      samples.map(({ tempC, memoryUsedMiB, utilPct }) => [tempC, memoryUsedMiB, utilPct]),
      [[28, 768, 7]],
    );
  });

  it('of npu-smi info -t, a card with its chips', () => {
    const chip = (id: number) => ['DDR Capacity(MB) : 0', 'HBM Capacity(MB) : 32768', `Chip ID : ${id}`];
    const { devices, samples } = read('NPU ID : 3', 'Aicore Usage Rate(%) : 12', ...chip(0), ...chip(1));
    assert.deepEqual(
      devices.map(({ index, memoryTotalMiB }) => [index, memoryTotalMiB]),
      [
        [3, 32_768],
        [1, 32_768],
      ],
    );
    assert.equal(samples[0]?.utilPct, 12);
  });

  it('of hl-smi whose row of a process was broken', () => {
    const { processes } = read(
      '| AIP  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |',
      '| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | AIP-Util  Compute M. |',
      '|===============================+======================+======================|',
      '|   1  HL-205              N/A  | 0000:b3:00.0     N/A |                   0  |',
      '| N/A   28C   N/A    98W / 350W |  32254Mib / 32768Mib |    13%           N/A |',
      '|-------------------------------+----------------------+----------------------+',
      '|  AIP       PID   Type   Process name                             Usage      |',
      '|=============================================================================|',
      '|   0        N/A   N/A    N/A                                      N/A        |',
      '|   1       2006754     C   python',
      '                                 31742Mib',
      '+=============================================================================+',
    );
    assert.deepEqual(
      processes.map(({ pid, type, memoryUsedMiB }) => [pid, type, memoryUsedMiB]),
      [[2_006_754, 'C', 31_742]],
    );
  });

  it('whose command or last bar is left', () => {
    const csv = read(
      'nvidia-smi --query-gpu=memory.used,memory.total --format=csv -l 5',
      'memory.used [MiB], memory.total [MiB]',
      '0 MiB, 4096 MiB',
    );
    assert.deepEqual(
      csv.devices.map(({ memoryTotalMiB }) => memoryTotalMiB),
      [4096],
    );
    const { processes } = read(
      '|   0  NVIDIA L4                     On  |   00000000:03:00.0 Off |                    0 |',
      '| N/A   36C    P0             45W /  72W |     512MiB /  23034MiB |     97%      Default |',
      '|  GPU   GI   CI        PID   Type   Process name                            GPU Memory |',
      '|    0    8    0      16798      C   ...d-assets/util/llama-rpc                    74MiB',
    );
    assert.deepEqual(
      processes.map(({ pid, memoryUsedMiB }) => [pid, memoryUsedMiB]),
      [[16_798, 74]],
    );
  });

  it('of an old log with its temperature alone', () => {
    const { samples } = read(
      '==============NVSMI LOG==============',
      'GPU 0000:01:00.0',
      '    Temperature',
      '        Gpu                     : 62 C',
    );
    assert.equal(samples[0]?.tempC, 62);
  });

  it('of nvtop’s screen', () => {
    const { devices, samples, processes } = read(
      ' Device 0 [NVIDIA GeForce RTX 3090] PCIe GEN 4@16x RX: 0.000 KiB/s TX: 0.000 KiB/s',
      ' GPU 1695MHz MEM 9501MHz TEMP  65°C FAN  53% POW 345 / 350 W',
      ' GPU[||||||||||100%] MEM[|||||||     20.0Gi/24.0Gi]',
      '    PID USER DEV    TYPE  GPU        GPU MEM    CPU  HOST MEM Command',
      '  12345 root   0 Compute  99%  20123MiB  84%   100%   4321MiB python train.py',
    );
    assert.deepEqual([devices[0]?.name, devices[0]?.memoryTotalMiB], ['NVIDIA GeForce RTX 3090', 24_576]);
    const { tempC, powerW, powerLimitW, fanPct, utilPct, memoryUsedMiB } = samples[0] ?? {};
    assert.deepEqual(
      [tempC, powerW, powerLimitW, fanPct, utilPct, memoryUsedMiB],
      [65, 345, 350, 53, 100, 20_480],
    );
    assert.deepEqual(
      processes.map(({ pid, name, memoryUsedMiB: used }) => [pid, name, used]),
      [[12_345, 'python train.py', 20_123]],
    );
  });

  it('of npu-smi without its header', () => {
    const { devices, samples } = read(
      '| 0     910B3               | OK            | 98.4        50                0    / 0             |',
      '| 0                         | 0000:C1:00.0  | 0           0    / 0          3369 / 65536         |',
    );
    assert.deepEqual([devices[0]?.name, devices[0]?.memoryTotalMiB], ['910B3', 65_536]);
    assert.deepEqual([samples[0]?.powerW, samples[0]?.memoryUsedMiB], [98.4, 3369]);
  });

  it('with a table of processes below, or columns that a sentence names', () => {
    const { devices, processes } = read(
      'utilization.gpu [%], memory.used [MiB], memory.total [MiB]',
      '95 %, 745 MiB, 6144 MiB',
      '---',
      'pid, process_name, used_gpu_memory [MiB]',
      '1580, /app/server, 340 MiB',
    );
    assert.deepEqual([devices.length, processes[0]?.memoryUsedMiB], [1, 340]);
    const { samples } = read(
      'The header is left out, but is: name, temperature.gpu, memory.used [MiB], memory.total [MiB].',
      'NVIDIA A100, 44, 4 MiB, 40960 MiB',
    );
    assert.deepEqual([samples[0]?.tempC, samples[0]?.memoryUsedMiB], [44, 4]);
  });

  it('with a remark behind a row, or within what another program prints', () => {
    const { samples } = read(
      '=================================== Concise Info ===================================',
      'GPU  Temp (DieEdge)  AvgPwr  SCLK    MCLK     Fan     Perf  PwrCap  VRAM%  GPU%  ',
      '0    61.0c           70.0W   472Mhz  1249Mhz  24.71%  auto  0.0W      5%   31%   <-------- first call',
    );
    assert.deepEqual([samples[0]?.tempC, samples[0]?.utilPct], [61, 31]);
    const { devices } = read(
      'TASK [Show] ****',
      '9:18:47 PM',
      '    ==============NVSMI LOG==============',
      '9:18:47 PM',
      '    GPU 00000000:03:00.0',
      '9:18:47 PM',
      '        Product Name                          : NVIDIA A10-12Q',
    );
    assert.equal(devices[0]?.name, 'NVIDIA A10-12Q');
  });

  it('whose rows and borders a narrow screen broke and indented', () => {
    const { devices, samples } = read(
      '> nvidia-smi',
      '  |-----------------------------------------+------------------------+---------',
      '  -------------+',
      '  | GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile',
      '  Uncorr. ECC |',
      '  | Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util',
      '  Compute M. |',
      '  |',
      '  =========================================+========================+==========',
      '  ============|',
      '  |   0  NVIDIA H100 80GB HBM3          On  |   00000000:03:00.0 Off |',
      '  0 |',
      '  | N/A   36C    P0            145W / 700W  |       1MiB /  81559MiB |    100%',
      '  Default |',
      '  +-----------------------------------------+------------------------+---------',
      '  -------------+',
    );
    assert.deepEqual(
      [devices[0]?.name, samples[0]?.powerW, samples[0]?.utilPct],
      ['NVIDIA H100 80GB HBM3', 145, 100],
    );
  });

  describe('a table', () => {
    const table = [
      '| NVIDIA-SMI 570.1      Driver Version: 570.1      CUDA Version: 12.8     |',
      '|=========================================+========================+======|',
      '|   0  NVIDIA L4                     On   |   00000000:03:00.0 Off |    0 |',
      '| N/A   36C    P0             45W /  72W  |     512MiB /  23034MiB |  97% |',
      '+-----------------------------------------+------------------------+------+',
    ];
    const forms: Readonly<Record<string, (line: string, at: number) => string>> = {
      'after a name in brackets': line => `[worker-0] ${line}`,
      'after a time and a logger': (line, at) => `2026-01-02 10:11:1${at},120 - __main__ - INFO - ${line}`,
      'found by a search': (line, at) => `out.txt:${at + 8}:${line}`,
      'in a list of strings': line => `    "${line}",`,
      'in a notebook': line => `      ${JSON.stringify(`${line}\n`)},`,
      'as code, each line of it': line => `\`${line}\``,
      'with blanks that do not break': line => line.replaceAll(' ', '\u00a0'),
      'with characters of no width': line => `${line}\u200b`,
    };
    for (const [name, form] of Object.entries(forms)) {
      it(name, () => {
        const { devices, samples } = read(...table.map(form));
        const { powerW, memoryUsedMiB, utilPct } = samples[0] ?? {};
        assert.deepEqual([devices[0]?.name, powerW, memoryUsedMiB, utilPct], ['NVIDIA L4', 45, 512, 97]);
      });
    }

    it('that comes twice is the later one', () => {
      const { devices, samples } = read(...table, ...table.map(line => line.replace('97%', '12%')));
      assert.deepEqual([devices.length, samples[0]?.utilPct], [1, 12]);
    });
  });

  it('of kubectl have the GPUs that labels of nodes name', () => {
    const labels = [
      'nvidia.com/gpu.count=2',
      'nvidia.com/gpu.memory=40960',
      'nvidia.com/gpu.product=A100-40GB',
    ];
    const described = read('Name:    a', 'Labels:  b=c', ...labels, 'Capacity:', '  nvidia.com/gpu:  2');
    const node = (product: string, gpus: string) => ({
      metadata: { labels: { 'nvidia.com/gpu.memory': '15360', 'nvidia.com/gpu.product': product } },
      status: { allocatable: { 'nvidia.com/gpu': gpus }, capacity: { 'nvidia.com/gpu': gpus } },
    });
    const listed = read(JSON.stringify({ items: [node('Tesla-T4', '1'), node('L4', '2')] }, null, 2));
    assert.deepEqual(
      [described, listed].map(({ devices }) => devices.map(one => [one.name, one.memoryTotalMiB])),
      [
        [
          ['A100 40GB', 40_960],
          ['A100 40GB', 40_960],
        ],
        [
          ['Tesla T4', 15_360],
          ['L4', 15_360],
          ['L4', 15_360],
        ],
      ],
    );
    const pod = 'nodeSelector:\n  nvidia.com/gpu.product: L4\nresources:\n  limits:\n    nvidia.com/gpu: 4\n';
    assert.equal(readPasted(pod, gpuTools, 0), null);
  });

  it('in several parts about the same GPUs are one', () => {
    const { devices } = read(
      'GPU 0: NVIDIA A100 80GB PCIe (UUID: GPU-4101de38-535a-4255-ac14-a63e072d7a10)',
      '  MIG 3g.40gb     Device  0: (UUID: MIG-d771d938-b556-4f9d-b742-2dd26b864023)',
      '  MIG 2g.20gb     Device  1: (UUID: MIG-08bce7f3-bac7-4715-b56f-91541f15fe37)',
      '',
      '# nvidia-smi',
      '| MIG devices:                                                                |',
      '| GPU  GI  CI  MIG |         Memory-Usage |        Vol|         Shared        |',
      '|==================+======================+===========+=======================|',
      '|  0    2   0   0  |     19MiB / 40192MiB | 42      0 |  3   0    2    0    0 |',
      '|  0    3   0   1  |     13MiB / 19968MiB | 28      0 |  2   0    1    0    0 |',
      '+------------------+----------------------+-----------+-----------------------+',
    );
    const [{ profile, gpuInstanceId, memoryUsedMiB } = {}] = devices[0]?.mig?.instances ?? [];
    assert.deepEqual(
      [devices.length, devices[0]?.name, profile, gpuInstanceId, memoryUsedMiB],
      [1, 'NVIDIA A100 80GB PCIe', '3g.40gb', 2, 19],
    );
  });

  it('at two times are the later one, and a panel without processes is an answer', () => {
    const table = (usedMiB: number, busyPct: number, processes: string) => [
      '| NVIDIA-SMI 550.54.15    Driver Version: 550.54.15    CUDA Version: 12.4     |',
      '|   0  NVIDIA L4                      Off |   00000000:01:00.0 Off |                    0 |',
      `| N/A   44C    P0             29W /   72W |   ${usedMiB}MiB /  23034MiB |     ${busyPct}%      Default |`,
      '',
      '| Processes:                                                                              |',
      processes,
      '',
    ];
    const { samples, processes } = read(
      ...table(
        9000,
        90,
        '|    0   N/A  N/A      1234      C   python                                     8990MiB |',
      ),
      ...table(
        1,
        0,
        '|  No running processes found                                                             |',
      ),
    );
    assert.deepEqual([samples[0]?.memoryUsedMiB, samples[0]?.utilPct, processes], [1, 0, []]);
  });

  it('of a Jetson have a GPU without an address and numbers', () => {
    const { devices } = read(
      '| NVIDIA-SMI 540.5.0                Driver Version: 540.5.0      CUDA Version: 12.6     |',
      '|   0  Orin (nvgpu)                  N/A  | N/A              N/A |                  N/A |',
      '| N/A   N/A  N/A               N/A /  N/A | Not Supported        |     N/A          N/A |',
    );
    assert.deepEqual(
      devices.map(({ name, pciBusId }) => [name, pciBusId]),
      [['Orin (nvgpu)', null]],
    );
  });

  it('of gpustat have users and commands', () => {
    const { processes } = read(
      "[0] Tesla M40        | 62'C,  99 % | 11372 / 11448 MB | ann:python/659(11367M) bo(62M)",
    );
    assert.deepEqual(
      processes.map(({ name, user, pid }) => [name, user, pid]),
      [
        ['python', 'ann', 659],
        [null, 'bo', null],
      ],
    );
  });

  it('of gpustat without numbers have a user, or a program', () => {
    const { processes } = read("[0] GeForce GTX 1050 | 63'C,  26 % |  1129 /  4042 MB | root(617M)");
    const { processes: programs } = read(
      "[0] GeForce GTX 1050 | 63'C,  26 % |  1129 /  4042 MB | python3.9(617M)",
    );
    const facts = [...processes, ...programs].map(one => [one.pid, one.user, one.name, one.memoryUsedMiB]);
    assert.deepEqual(facts, [
      [null, 'root', null, 617],
      [null, null, 'python3.9', 617],
    ]);
  });

  it('of pmon whose rows have a dot in front', () => {
    const { processes } = read(
      '# gpu     pid  type    sm   mem   enc   dec   command',
      '# Idx       #   C/G     %     %     %     %   name',
      '.   0  145349     C    64     0     0     0   matrixMul',
      '.   1       -     -     -     -     -     -   -',
    );
    assert.deepEqual(
      processes.map(({ gpuIndex, pid, smPct, name }) => [gpuIndex, pid, smPct, name]),
      [[0, 145_349, 64, 'matrixMul']],
    );
  });

  it('of cuda-smi have what is free', () => {
    const { devices, samples } = read(
      '$ cuda-smi',
      'Device 0 [PCIe 0:1:0.0]: GeForce GTX 750 Ti (CC 5.0): 1023.5 of 2047.5 MB (i.e. 50%) Free',
      'Device  1 [PCIe 0000:02:00.0]:             Tesla C2075 (CC 2.0):  5180 of  5375 MiB Free',
    );
    assert.deepEqual(
      devices.map((one, at) => [one.name, one.pciBusId, one.memoryTotalMiB, samples[at]?.memoryUsedMiB]),
      [
        ['GeForce GTX 750 Ti', '0000:01:00.0', 2047.5, 1024],
        ['Tesla C2075', '0000:02:00.0', 5375, 195],
      ],
    );
  });

  it('of nvidia-smi vgpu have a line for each GPU, and do not hide the whole table above', () => {
    const table = [
      '| NVIDIA-SMI 535.129.03             Driver Version: 535.129.03                |',
      '| GPU  Name                       | Bus-Id                       | GPU-Util   |',
      '|      vGPU ID     Name           | VM ID     VM Name            | vGPU-Util  |',
      '|=================================+==============================+============|',
      '|   0  NVIDIA A40                 | 00000000:67:00.0             |   7%       |',
      '|      3251634216  NVIDIA A40-8Q  | c269...  windows10,debug-... |      3%    |',
    ];
    const whole = [
      '|   0  NVIDIA A40                     Off | 00000000:67:00.0 Off |                    0 |',
      '|  0%   31C    P8              21W / 300W |   8192MiB / 46068MiB |      0%      Default |',
    ];
    const alone = read(...table);
    const both = read(...whole, '', ...table);
    assert.deepEqual([alone.devices[0]?.name, alone.samples[0]?.utilPct], ['NVIDIA A40', 7]);
    assert.deepEqual([both.devices.length, both.samples[0]?.memoryUsedMiB], [1, 8192]);
  });
});
