import assert from 'node:assert/strict';
import { readPasted } from '../../../src/gpu/pasted';
import { gpuTools } from '../../../src/gpu/tools/registry';

const read = (...lines: readonly string[]) => {
  const reading = readPasted(lines.join('\n'), gpuTools, 0)?.reading;
  assert.ok(reading);
  return reading;
};

describe('gpu: pasted outputs, reshaped', function () {
  this.timeout(10_000);

  const TABLE = [
    '+-----------------------------------------+------------------------+----------------------+',
    '| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |',
    '| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |',
    '|=========================================+========================+======================|',
    '|   0  NVIDIA L4                      On  |   00000000:03:00.0 Off |                    0 |',
    '| N/A   36C    P0             45W /   72W |     512MiB /  23034MiB |     97%      Default |',
    '+-----------------------------------------+------------------------+----------------------+',
  ];
  const CONCISE = [
    'GPU  Temp   AvgPwr  SCLK     MCLK     Fan    Perf  PwrCap  VRAM%  GPU%',
    '0    38.0c  15.0W   1200Mhz  1000Mhz  31.0%  auto  220.0W  12%    7%',
    '1    39.0c  16.0W   1200Mhz  1000Mhz  31.0%  auto  220.0W  13%    8%',
  ];
  const escaped = (line: string): string => line.replace(/([-|+])/g, '\\$1');
  const shapes: readonly (readonly [what: string, put: (lines: readonly string[]) => readonly string[]])[] = [
    ['below the words of a list', lines => ['Output::', '', ...lines.map(line => `    ${line}`)]],
    ['in a comment of C', lines => ['/*', ...lines.map(line => ` * ${line}`), ' */']],
    [
      'in a string of JSON',
      lines => ['{', '  "rc": 0,', `  "stdout": ${JSON.stringify(lines.join('\n'))}`, '}'],
    ],
    ['with escaped marks', lines => lines.map(escaped)],
    ['as a paragraph with breaks', lines => [`<p>${lines.join('<br />')}</p>`]],
    ['as joined strings', lines => lines.map(line => `  "${line}\\n" +`)],
    ['behind a time and a name', lines => lines.map(line => `2024/03/04 10:11:12 INFO mlflow: ${line}`)],
    ['behind words', lines => lines.map(line => `REM ${line}`)],
    [
      'in a log of Airflow',
      lines => lines.map(line => `[2024-03-04, 10:11:12 UTC] {smi.py:93} INFO - ${line}`),
    ],
    ['in marks of a forum', lines => [`[code]${lines.join('\n')}[/code]`]],
  ];
  for (const [what, put] of shapes) {
    it(`are read ${what}`, () => {
      for (const lines of [TABLE, CONCISE]) {
        assert.deepEqual(read(...put(lines)).samples, read(...lines).samples);
      }
    });
  }

  it('are read without their first bars, or broken between words', () => {
    const broken = CONCISE.flatMap(line => line.replace(/ {2}(?=Perf|auto)/, '\n').split('\n'));
    assert.equal(read(...TABLE.map(line => line.replace(/^\|/, ''))).samples[0]?.memoryUsedMiB, 512);
    assert.deepEqual(read('='.repeat(70), ...broken).samples, read(...CONCISE).samples);
  });

  it('of intel_gpu_top have the load of an engine whose bar was broken off', () => {
    const screen = [
      'intel-gpu-top: Intel Skylake @ /dev/dri/card0 -  335/ 339 MHz;',
      '  Render/3D   78.74% ',
      '|███▏',
    ];
    assert.equal(read(...screen, '   Blitter    0.00% | |      0%      0%').samples[0]?.utilPct, 78.74);
  });

  it('name no GPU by other words, and no process as a row of dmon', () => {
    const names = read(...CONCISE, '', '       total   used   free').devices.map(({ name }) => name);
    assert.deepEqual(names, [null, null]);
    const { devices } = read('# gpu   pwr gtemp    sm', '    0    45    36    97', '   77   bob    20     0');
    assert.equal(devices.length, 1);
  });

  it('of npu-smi have no power from a line that belongs to a lost one', () => {
    const box = (...lines: readonly string[]) => lines.filter(line => line !== '');
    const table = (rule: string, chips: string, row: string) =>
      box(
        '| npu-smi 26.0.rc2             Version: 26.0.rc2                                |',
        rule,
        '| NPU   Name    | Health        | Power(W)    Temp(C)         Hugepages-Usage(page) |',
        chips,
        '+===============+===============+===================================================+',
        row,
        '| 0     14      | 0000:81:00.0  | 0           0    / 0        15503/ 65536          |',
        '+---------------+---------------+---------------------------------------------------+',
        '| 7     910     | OK            | 170.0       52              0    / 0              |',
        '| 1     15      | 0000:83:00.0  | 0           0    / 0        15242/ 65536          |',
        '+---------------+---------------+---------------------------------------------------+',
      );
    const RULE = '+---------------+---------------+---------------------------------------------------+';
    const CHIPS = '| Chip  Phy-ID  | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)       |';
    const ROW = '| 7     910     | OK            | 172.0       53              0    / 0              |';
    for (const lines of [table('', CHIPS, ROW), table(RULE, '', ROW), table(RULE, CHIPS, '')]) {
      const powers = read(...lines).samples.map(({ powerW }) => powerW);
      assert.ok(!powers.includes(0) && powers.includes(170), powers.join());
    }
  });

  it('of two commands are one reading of the same GPUs', () => {
    const uuid = 'GPU-d9116be8-13c2-ea3b-b790-e27e8c7fe969';
    const list = `GPU 0: NVIDIA L4 (UUID: ${uuid})`;
    const csv = ['name, driver_version, memory.total [MiB]', 'NVIDIA L4, 570.10, 23034 MiB'];
    const { devices } = read(list, ...csv);
    assert.deepEqual(
      devices.map(one => [one.uuid, one.memoryTotalMiB, one.driverVersion, one.vendor]),
      [[uuid, 23_034, '570.10', 'nvidia']],
    );
    const other = read(list, 'name, memory.total [MiB], temperature.gpu', 'NVIDIA T4, 15360 MiB, 40');
    assert.deepEqual(
      other.devices.map(one => [one.name, one.uuid]),
      [['NVIDIA T4', null]],
    );
  });

  it('of several hosts have the GPUs of each', () => {
    const csv = ['index, name, memory.used [MiB]', '0, Tesla V100, 12 MiB', '1, Tesla V100, 15 MiB'];
    const by = ['n1', 'n2'].flatMap(host => csv.map(line => `${host}: ${line}`));
    const below = ['n1', 'n2'].flatMap(host => [`${host} | CHANGED | rc=0 >>`, ...TABLE]);
    const nodes = (...lines: readonly string[]) => read(...lines).devices.map(one => [one.node, one.index]);
    const command = '$ pdsh -w n[1-2] nvidia-smi --query-gpu=index,name,memory.used --format=csv';
    assert.deepEqual(nodes(command, ...by), [
      ['n1', 0],
      ['n1', 1],
      ['n2', 0],
      ['n2', 1],
    ]);
    assert.deepEqual(nodes(...below), [
      ['n1', 0],
      ['n2', 0],
    ]);
    assert.deepEqual(nodes(...TABLE), [[undefined, 0]]);
  });

  it('of CSV may have commas alone, bars or columns', () => {
    const rows = [
      ['index', 'name', 'memory.used [MiB]'],
      ['0', 'NVIDIA L4', '12 MiB'],
    ];
    const put = (mark: string) => rows.map(row => row.join(mark));
    for (const lines of [put(','), put('   '), put('|').map(row => `|${row}|`)]) {
      const { devices, samples } = read(
        ...lines.slice(0, 1),
        ...(lines[0]?.includes('|') ? ['|---|---|---|'] : []),
        ...lines.slice(1),
      );
      assert.deepEqual(
        devices.map(({ name }, at) => [name, samples[at]?.memoryUsedMiB]),
        [['NVIDIA L4', 12]],
      );
    }
  });

  it('of drivers of 2011, of a filter, and of pmon', () => {
    const old = read(
      '| 0.  Tesla C2050               | 0000:03:00.0  On     |         0          0 |',
      '|  30%   62 C  P0    Off / Off  |   0%    6MB / 2687MB |    0%     Default    |',
      '|  0.   1234    ./deviceQuery                                          55MB   |',
    );
    assert.deepEqual([old.samples[0]?.tempC, old.processes[0]?.memoryUsedMiB], [62, 55]);
    const filtered = read(...[1, 5].flatMap(() => TABLE[5] ?? []));
    assert.deepEqual(
      filtered.devices.map(({ index }) => index),
      [0, 1],
    );
    const pmon = read(
      '# gpu     pid  type    sm   mem   enc   dec   command',
      '    1   26432     C    45    12     -     -   python',
    );
    assert.deepEqual([pmon.devices.length, pmon.processes.length], [0, 1]);
  });

  it('of jtop', () => {
    const { devices, samples } = read(
      'NVIDIA Jetson Xavier NX (Developer Kit Version) - Jetpack 4.5.1 [L4T 32.5.1]',
      '  Mem [|||||||      3.1G/7.8GB] (lfb 512x4MB)',
      '  EMC [||           10%] 1.6GHz',
      '  GPU [|||          21%] 510MHz',
      '  Jetson Clocks: inactive       GPU         37.00C',
    );
    assert.deepEqual(
      [devices[0]?.name, samples[0]?.utilPct, samples[0]?.tempC, samples[0]?.memBusyPct],
      ['NVIDIA Jetson Xavier NX (Developer Kit Version)', 21, 37, 10],
    );
  });

  it('of a filter keep a GPU without its second line, and its instances', () => {
    const { devices } = read(
      TABLE[4] ?? '',
      '| MIG devices:   |',
      '|  0    8   0   0  |     36MiB /  4864MiB    | 14      0 |  1   0    0    0    0 |',
    );
    assert.deepEqual(
      devices.map(({ name, mig }) => [name, mig?.instances.map(one => one.memoryUsedMiB)]),
      [['NVIDIA L4', [36]]],
    );
  });

  it('of what jtop saved', () => {
    const { samples } = read(
      'jetson_clocks, OFF',
      'CPU1, 5',
      'GPU, 12',
      'RAM, 1745160',
      'Temp CPU, 40.0',
      'Temp GPU, 46.0',
    );
    assert.deepEqual([samples[0]?.utilPct, samples[0]?.tempC, samples[0]?.memoryUsedMiB], [12, 46, null]);
  });
});
