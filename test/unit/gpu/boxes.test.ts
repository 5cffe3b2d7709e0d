import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readGpuTable } from '../../../src/gpu/nvidia/tables';
import { readSmiTables } from '../../../src/gpu/other/smiTable';

const BOX = `Wed Nov  8 16:16:45 2023
+------------------------------------------------------------------------------+
| Processes:                                                                   |
|  Card  MI  PID     Command Line                             MLU Memory Usage |
|==============================================================================|
|  No running processes found                                                  |
+------------------------------------------------------------------------------+
`;

describe('gpu: tables drawn with bars', () => {
  it('end where a line has no bars: the date of the next output is no process', () => {
    assert.deepEqual(readSmiTables(BOX + BOX, 0).processes, []);
  });
});

describe('gpu: a table that was printed twice', () => {
  it('has the same devices, by the numbers of their cards', () => {
    const text = readFileSync('test/fixtures/telemetry/recordings/cnmon-mlu370-510.txt', 'utf8');
    const numbers = (of: string) => readSmiTables(of, 0).devices.map(({ index }) => index);
    assert.deepEqual(numbers(text), [0, 1]);
    assert.deepEqual(numbers(text + text), [0, 1, 0, 1]);
  });
});

describe('gpu: CSV of nvidia-smi that a copy has shifted', () => {
  const HEADER = 'index, timestamp, utilization.gpu [%], utilization.memory [%], memory.total [MiB]';
  const devicesIn = (row: string) =>
    readGpuTable(['--query-gpu=index'], { stdout: `${HEADER}\n${row}\n`, stderr: '', exitCode: 0 }, 0)
      .devices;

  it('is not read: an amount of memory is no share, and what is not a number is no index', () => {
    assert.equal(devicesIn('0, 2020/11/12 13:48:11.412, 99 %, 52 %, 32480 MiB').length, 1);
    assert.equal(devicesIn('2020/11/12 13:48:11.412, 99 %, 52 %, 32480 MiB, 30994 MiB').length, 0);
    assert.equal(devicesIn('│ 0, 2020/11/12 13:48:11.412, 99 %, 52 %, 32480 MiB').length, 0);
  });
});
