import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { readPasted } from '../../../src/gpu/pasted';
import { gpuTools } from '../../../src/gpu/tools/registry';
import { damages } from '../../eval/pasted/damages';
import { survival } from '../../eval/pasted/readings';
import type { Recording } from '../../eval/telemetry/recording';
import { tries } from '../../tries';

const RECORDINGS = 'test/fixtures/telemetry/recordings';
const textOf = (file: string): string => readFileSync(join(RECORDINGS, file), 'utf8');
const outputs = textOf('INDEX.jsonl')
  .split('\n')
  .filter(Boolean)
  .map(line => (JSON.parse(line) as Recording).file);

const TABLE = 'nv-table-4xpro6000-610-one-lost.txt';

/** The last lines of a stream are another tick, and a number within which a narrow line ends is no longer whole. */
const kept = damages.filter(({ name }) => name !== 'end cut' && name !== 'wrapped at 60');
const damageOf = (name: string) => {
  const found = damages.find(one => one.name === name);
  assert.ok(found);
  return found;
};

describe('gpu: damaged outputs', function () {
  this.timeout(60_000);

  it('read the same, less or not at all, never as another number', () => {
    fc.assert(
      fc.property(fc.constantFrom(...kept), fc.constantFrom(...outputs), (damage, file) => {
        const found = survival(damage, textOf(file));
        assert.deepEqual(found?.lies ?? [], [], `${file}, ${damage.name}`);
      }),
      { numRuns: tries(60) },
    );
  });

  it('read the same without their indentation, with blank lines, typographic quotes or a box', () => {
    const files = [TABLE, 'nv-q-2080s-610-idle.txt', 'amd-table-26-strix.txt', 'nvitop-8xh800-142.txt'];
    for (const name of [
      'indentation lost',
      'blank lines between',
      'typographic quotes',
      'within a box',
      'quoted by bars',
    ]) {
      for (const file of files) {
        const found = survival(damageOf(name), textOf(file))?.is;
        assert.ok(
          found === 'same' || (found === 'less' && name === 'indentation lost'),
          `${file}, ${name}: ${found}`,
        );
      }
    }
  });

  it('have their rows back where all lines became one', () => {
    const found = survival(damageOf('one line'), textOf(TABLE));
    assert.equal(found?.is, 'same');
  });

  it('are read where only the names of GPUs are in them', () => {
    const text = `========================= Product Info =========================
GPU[0]\t\t: Card Series: \t\tAMD Instinct MI210
GPU[0]\t\t: Card Vendor: \t\tAdvanced Micro Devices, Inc. [AMD/ATI]
`;
    const { tool, reading } = readPasted(text, gpuTools, 0) ?? assert.fail();
    assert.equal(tool, 'rocm-smi');
    assert.deepEqual(
      reading.devices.map(({ name }) => name),
      ['AMD Instinct MI210'],
    );
  });

  it('have all processes without a number', () => {
    const text = "[0] NVIDIA GeForce GTX 1080 | 61'C, 0 % | 745 / 8113 MB | root(617M) mathemage(128M)\n";
    const { processes } = readPasted(text, gpuTools, 0)?.reading ?? assert.fail();
    assert.deepEqual(
      processes.map(({ memoryUsedMiB }) => memoryUsedMiB),
      [617, 128],
    );
  });

  it('have the processes of another command of the same session, whatever else it could not find', () => {
    const text = `$ nvidia smi -L
nvidia: command not found
$ nvidia-smi -L
GPU 0: NVIDIA A10G (UUID: GPU-4aa494b9-9659-a279-8cc5-12c1c9fbf439)
$ nvidia-smi pmon -c 1
# gpu         pid   type     sm    mem    enc    dec    jpg    ofa    command
# Idx           #    C/G      %      %      %      %      %      %    name
    0    2354247     C      -      -      -      -      -      -    tritonserver
`;
    const { devices, processes, error } = readPasted(text, gpuTools, 0)?.reading ?? assert.fail();
    assert.deepEqual([devices.length, processes.map(({ pid }) => pid), error], [1, [2_354_247], null]);
  });

  it('have the row of a stream behind the ^C that ended it', () => {
    const text = `# gpu    pwr  gtemp  mtemp     sm    mem    enc    dec   mclk   pclk
# Idx      W      C      C      %      %      %      %    MHz    MHz
    0     31     38      -      0      0      0      0    405    210
^C    0     32     38      -      0      0      0      0    405    210
`;
    assert.equal(readPasted(text, gpuTools, 0)?.reading.samples[0]?.powerW, 32);
  });

  it('have columns by the command above them if they have no header', () => {
    const text = `$ nvidia-smi --query-gpu=index,name,memory.used,memory.total --format=csv,noheader
0, NVIDIA L4, 120 MiB, 23034 MiB
1, NVIDIA L4, 8 MiB, 23034 MiB
`;
    const { reading } = readPasted(text, gpuTools, 0) ?? assert.fail();
    assert.deepEqual(
      reading.samples.map(({ memoryUsedMiB }, at) => [reading.devices[at]?.memoryTotalMiB, memoryUsedMiB]),
      [
        [23034, 120],
        [23034, 8],
      ],
    );
  });

  it('may state a single number if the command of the tool is above it', () => {
    const power = '[{"gpu": 0, "power": {"socket_power": {"value": 10, "unit": "W"}}}]\n';
    assert.equal(readPasted(power, gpuTools, 0), null);
    const pasted = readPasted(`$ amd-smi metric -p --json\n${power}`, gpuTools, 0);
    assert.deepEqual(
      pasted?.reading.samples.map(({ powerW }) => powerW),
      [10],
    );
  });

  it('are of one GPU if the line that names it is missing, and of those whose slices are shown', () => {
    const clocks = `nvidia-smi says:
    Clocks
        SM                                : 2025 MHz
        Memory                            : 10251 MHz
    Max Clocks
        SM                                : 2100 MHz
`;
    assert.deepEqual(
      readPasted(clocks, gpuTools, 0)?.reading.samples.map(({ clockSmMHz, clockMemMHz }) => [
        clockSmMHz,
        clockMemMHz,
      ]),
      [[2025, 10251]],
    );
    const slices = `|==================+======================+===========+=======================|
|  1    3   0   0  |  14366MiB / 19968MiB | 28      0 |  2   0    1    0    0 |
+------------------+----------------------+-----------+-----------------------+
|  2    5   0   1  |   9880MiB / 19968MiB | 28      0 |  2   0    1    0    0 |
`;
    const { devices } = readPasted(slices, gpuTools, 0)?.reading ?? assert.fail();
    assert.deepEqual(
      devices.map(({ index, memoryTotalMiB, mig }) => [
        index,
        memoryTotalMiB,
        mig?.instances[0]?.memoryUsedMiB,
      ]),
      [
        [1, null, 14366],
        [2, null, 9880],
      ],
    );
  });

  it('have the complete parts of JSON that was cut', () => {
    const text =
      'I get:\n{"card0": {"GPU use (%)": "12", "Temperature (Sensor edge) (C)": "40.0"}, "card1": {"GPU use (%)": "9';
    const { reading } = readPasted(text, gpuTools, 0) ?? assert.fail();
    assert.deepEqual(
      reading.samples.map(({ utilPct, tempC }) => [utilPct, tempC]),
      [[12, 40]],
    );
  });
});
