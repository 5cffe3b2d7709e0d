import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { reasonsInMask } from '../../../src/gpu/nvidia/values';
import { amountOf } from '../../../src/gpu/parse/amount';
import { jsonValues } from '../../../src/gpu/parse/json';
import { readPasted } from '../../../src/gpu/pasted';
import { plainOutput } from '../../../src/gpu/parse/text';
import type { GpuTool } from '../../../src/gpu/tool';
import { amdSmi } from '../../../src/gpu/tools/amdSmi';
import { intelGpuTop } from '../../../src/gpu/tools/intelGpuTop';
import { macmon, powermetrics } from '../../../src/gpu/tools/apple';
import { gpuTools } from '../../../src/gpu/tools/registry';
import { tegrastats } from '../../../src/gpu/tools/tegrastats';
import { xpuSmi } from '../../../src/gpu/tools/xpuSmi';
import { compare } from '../../eval/telemetry/compare';
import { readRecording, toolIdOf } from '../../eval/telemetry/recording';
import type { Recording } from '../../eval/telemetry/recording';

const FOLDER = 'test/fixtures/telemetry/recordings';
const textOf = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');
const index = textOf('INDEX.jsonl')
  .split('\n')
  .filter(Boolean)
  .map(line => JSON.parse(line) as Recording);

describe('gpu: recordings of every vendor’s tools', () => {
  for (const recording of index) {
    it(`${recording.file} is read right in every field`, () => {
      const reading = readRecording(recording, textOf(recording.file));
      assert.ok(reading);
      const { fields, wrong } = compare(recording, reading);
      assert.ok(fields > 0);
      assert.deepEqual(wrong, []);
    });
  }
});

describe('gpu: pasted outputs', () => {
  /** Outputs without a GPU or with few facts are none's; the columns of a stream without its header are in the arguments. */
  const isTold = ({ file, expected }: Recording): boolean => {
    if (file.includes('joined-late')) return false;
    const [first] = (expected['gpus'] ?? []) as readonly Record<string, unknown>[];
    return Object.values(first ?? {}).filter(value => value !== null).length > 3;
  };

  for (const recording of index.filter(isTold)) {
    it(`${recording.file} is told by itself to be one of ${recording.command.split(' ')[0] ?? ''}`, () => {
      const text = textOf(recording.file);
      const pasted = readPasted(`> ${text.replaceAll('\n', '\n> ')}`, gpuTools, 0);
      assert.ok(pasted);
      assert.ok(
        recording.command.split(/[ /]/).map(toolIdOf).includes(pasted.tool),
        `${recording.command}: ${pasted.tool}`,
      );
    });
  }
});

describe('gpu: formats by their tools’ sources', () => {
  const devicesOf = (tool: GpuTool, command: string, text: string) => {
    const { devices, samples, processes } = tool.read(
      command.split(' '),
      { stdout: text, stderr: '', exitCode: 0 },
      0,
    );
    return { devices, samples, processes };
  };

  it('amd-smi: CSV of `metric`, its header again with each tick, lists in quotes', () => {
    const header =
      'timestamp,gpu,gfx_activity,umc_activity,vcn_activity,socket_power,gfx_0_clk,mem_0_clk,edge,hotspot,mem';
    const row = (gpu: number) => `1789515524,${gpu},95,80,"['N/A', 'N/A']",1180,2100,2000,N/A,78,60`;
    const { samples } = devicesOf(
      amdSmi,
      'metric --csv',
      [header, row(0), row(1), '', header, row(0)].join('\r\n'),
    );
    assert.equal(samples.length, 3);
    const { utilPct, memBusyPct, powerW, clockSmMHz, clockMemMHz, tempC, tempMemC } = samples[0] ?? {};
    assert.deepEqual(
      [utilPct, memBusyPct, powerW, clockSmMHz, clockMemMHz, tempC, tempMemC],
      [95, 80, 1180, 2100, 2000, 78, 60],
    );
    assert.equal(samples[0]?.powerLimitW, null, 'the column of the measured power');
  });

  it('amd-smi: CSV of `monitor` with its processes, and its JSON', () => {
    const csv =
      'gpu,power_usage,hotspot_temperature,memory_temperature,gfx,mem,vram_used,vram_total\n0,199,103,84,99,31,1235,16335\n\n' +
      'gpu,name,pid,gtt_mem,cpu_mem,vram_mem,mem_usage,gfx,enc\n0,rvs,1564865,0,0,1181116006,0,0,0\n';
    const read = devicesOf(amdSmi, 'monitor --csv -q', csv);
    const { utilPct, memBusyPct, memoryUsedMiB, tempC, tempMemC, powerW } = read.samples[0] ?? {};
    assert.deepEqual(
      [utilPct, memBusyPct, memoryUsedMiB, tempC, tempMemC, powerW],
      [99, 31, 1235, 103, 84, 199],
    );
    assert.equal(read.devices[0]?.memoryTotalMiB, 16335);
    assert.deepEqual(
      read.processes.map(({ pid, name, memoryUsedMiB: held }) => [pid, name, Math.round(held ?? 0)]),
      [[1564865, 'rvs', 1126]],
    );
    const json =
      '[{"gpu": 0, "power_usage": {"value": 9, "unit": "W"}, "mem": {"value": 3, "unit": "%"}, "vram_used": {"value": 28, "unit": "MB"}}]';
    const { samples } = devicesOf(amdSmi, 'monitor --json', json);
    assert.deepEqual(
      [samples[0]?.powerW, samples[0]?.memBusyPct, samples[0]?.memoryUsedMiB, samples[0]?.tempMemC],
      [9, 3, 28, null],
    );
  });

  it('xpu-smi 2.0: a dump with new names of columns, statistics by tile', () => {
    const text =
      'Timestamp, DeviceId, utilization.gpu (%), power.draw (W), utilization.memory (%)\n10:11:12.345, 0, 3.50, 66.20, 1.95\n';
    const { samples } = devicesOf(xpuSmi, 'dump -d -1 --metrics 0,1,5', text);
    assert.deepEqual([samples[0]?.utilPct, samples[0]?.powerW, samples[0]?.memoryUsedPct], [3.5, 66.2, 1.95]);
    const stats =
      '{"device_index": 1, "pci_bdf": "0000:03:00.0", "power": {"gpu_power_w": {"tile_0": {"avg": 60.0, "current": 66.5}}}, "utilization": {"gpu_percent": {"tile_0": 7.25}}}';
    const found = devicesOf(xpuSmi, 'stats -d 1 -j', stats);
    assert.deepEqual(
      [found.devices[0]?.index, found.samples[0]?.powerW, found.samples[0]?.utilPct],
      [1, 66.5, 7.25],
    );
  });

  it('xpu-smi 2.0: is asked with long options once it refuses the short ones', () => {
    const stderr = 'The following arguments were not expected: 1 -n 1 -i 0,1,2,3,4,5,18 -m\n';
    const { error } = xpuSmi.read(xpuSmi.query([]), { stdout: '', stderr, exitCode: 1 }, 0);
    assert.equal(error?.kind, 'invalid-field');
    const unknown = [xpuSmi.unknownField(error) ?? ''];
    assert.ok(!xpuSmi.query(unknown).some(arg => /^-[mni]$/.test(arg)));
    assert.ok(xpuSmi.stream(unknown, 1000)?.includes('--interval'));
  });
});

/** Loads of each tick in the stream of a tool. */
function ticks(tool: GpuTool, text: string, devices = 1): readonly (number | null)[][] {
  const reader = tool.streamReader(tool.stream([], 1000) ?? [], devices);
  return text
    .split('\n')
    .flatMap(line => reader.line(line, 7))
    .map(({ samples }) => samples.map(({ utilPct }) => utilPct));
}

describe('gpu: streams of every vendor’s tools', () => {
  it('tegrastats: a line is a tick', () => {
    assert.deepEqual(ticks(tegrastats, textOf('tegra-nano-stream.txt')), [[0], [0], [0], [0]]);
    assert.deepEqual(ticks(tegrastats, 'sudo: a password is required'), []);
  });

  it('amd-smi: a tick is complete with its last GPU, the header once or again', () => {
    const text = textOf('amd-monitor-ptumv-8xmi300x.txt').trimEnd();
    const [, ...rows] = text.split('\n');
    assert.deepEqual(
      ticks(amdSmi, [text, ...rows, text].join('\n'), 8).map(tick => tick.length),
      [8, 8, 8],
    );
  });

  it('xpu-smi: a row a device, the tick told by the device that comes again', () => {
    assert.deepEqual(ticks(xpuSmi, textOf('xpu-dump-5rows.csv')), [[0], [0], [0], [0], [0]]);
    const two = [
      'Timestamp, DeviceId, GPU Utilization (%)',
      '06:14:01.000,    0, 5',
      '06:14:01.000,    1, 6',
      '06:14:02.000,    0, 7',
      '06:14:02.000,    1, 8',
    ];
    assert.deepEqual(ticks(xpuSmi, two.join('\n'), 2), [
      [5, 6],
      [7, 8],
    ]);
  });

  it('xpu-smi: joined in the middle, a tick is what came of it, and no two ticks are one', () => {
    const rows = [
      '06:14:01.000,    2, 5',
      '06:14:02.000,    0, 6',
      '06:14:02.000,    1, 7',
      '06:14:02.000,    2, 8',
      '06:14:03.000,    0, 9',
      '06:14:03.000,    2, 4',
      '06:14:04.000,    0, 3',
    ];
    const text = ['Timestamp, DeviceId, GPU Utilization (%)', ...rows].join('\n');
    assert.deepEqual(ticks(xpuSmi, text, 3), [[5], [6, 7, 8], [9, 4]]);
  });

  it('intel_gpu_top: an array that never ends, its first tick left out', () => {
    const tick = (busy: number) => `{"engines": {\n"Video": {"busy": ${busy}}}}`;
    assert.deepEqual(ticks(intelGpuTop, `[\n${[99, 4, 5].map(tick).join(',\n')}`), [[4], [5]]);
  });

  it('macmon: one object a line, of any of its releases', () => {
    const line = '{"gpu_usage": [461, 0.25], "gpu_power": 1.5, "memory": {"ram_total": 1073741824}}';
    assert.deepEqual(ticks(macmon, `${line}\n${line}\n`), [[25], [25]]);
  });

  it('powermetrics: a tick is complete with its power', () => {
    const tick = textOf('apple-powermetrics-idle.txt');
    assert.deepEqual(ticks(powermetrics, tick + tick), [[0.18], [0.18]]);
  });
});

describe('gpu: values', () => {
  it('are numbers with a unit of their kind, and nothing else', () => {
    assert.deepEqual(
      ['1.5 GB', '12', '3 KB', '1,5 GB', '12 W', '', 'N/A', '-1'].map(text => amountOf(text, 'MiB')),
      [1536, 12, 3 / 1024, null, null, null, null, null],
    );
    assert.deepEqual(
      ['19304 mW', '36 W', '36 °C'].map(text => amountOf(text, 'W')),
      [19.304, 36, null],
    );
    assert.equal(amountOf('32 °C', 'C'), 32);
    assert.equal(amountOf('1966', 'MiB', 'KB'), 1966 / 1024);
  });

  it('of a text that was cut within a line are none at its end', () => {
    const cut = plainOutput({ stdout: '\u001B[1mRAM\u001B[0m 12', stderr: '', exitCode: null });
    assert.equal(cut.stdout, 'RAM 12…');
    const whole = { stdout: '{"a": 1}', stderr: '', exitCode: 0 };
    assert.deepEqual(plainOutput(whole), whole);
  });

  it('stand in JSON whatever is around it', () => {
    assert.deepEqual(jsonValues('WARNING: old\n[{"a": 1}, {"a": 2'), [{ a: 1 }]);
    assert.deepEqual(jsonValues('{"a": "//x"} {"b": [1, 2,]} // end'), [{ a: '//x' }, { b: [1, 2] }]);
    assert.deepEqual(jsonValues('nothing here'), []);
  });

  it('of throttling are words; idling holds nothing down', () => {
    assert.deepEqual(reasonsInMask('0x0000000000000001'), []);
    assert.deepEqual(reasonsInMask('0x0000000000000084'), ['power limit', 'hardware power brake']);
    assert.equal(reasonsInMask('[N/A]'), null);
  });
});
