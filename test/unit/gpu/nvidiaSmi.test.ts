import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { fieldName, queriedFields, rowOf } from '../../../src/gpu/nvidia/csv';
import { integerOf, numberOf, textOf } from '../../../src/gpu/nvidia/values';
import { at, parseXml } from '../../../src/gpu/nvidia/xml';
import { troubleOf } from '../../../src/gpu/sample';
import type { ToolOutput } from '../../../src/gpu/tool';
import { nvidiaSmi } from '../../../src/gpu/tools/nvidiaSmi';

const folder = 'test/fixtures/telemetry';
const recorded = (file: string, exitCode: number | null = 0): ToolOutput => ({
  stdout: readFileSync(join(folder, file), 'utf8'),
  stderr: '',
  exitCode,
});
const printed = (stdout: string, exitCode: number | null = 0): ToolOutput => ({
  stdout,
  stderr: '',
  exitCode,
});
const query = nvidiaSmi.query([]);

describe('gpu: nvidia-smi values', () => {
  it('are numbers with or without a unit', () => {
    const numbers = {
      '111.50 W': 111.5,
      '26.3': 26.3,
      '0 %': 0,
      '81559 MiB': 81559,
      ' 45 ': 45,
      '-3': -3,
      '100 C': 100,
    };
    for (const [text, value] of Object.entries(numbers)) assert.equal(numberOf(text), value, text);
    assert.equal(integerOf('12'), 12);
    assert.equal(integerOf('12.5'), null);
  });

  it('are null for every placeholder of a missing value', () => {
    const nothings = [
      '[N/A]',
      'N/A',
      '[Not Supported]',
      '[Unknown Error]',
      'ERR!',
      '[GPU requires reset]',
      '[Insufficient Permissions]',
      'Not available in WDDM driver model',
      'Requested functionality has been deprecated',
      '-',
      '',
    ];
    for (const text of nothings) {
      assert.equal(numberOf(text), null, text);
      assert.equal(textOf(text), null, text);
    }
    assert.equal(textOf('P2'), 'P2');
    assert.equal(textOf('NVIDIA TITAN X (Pascal)'), 'NVIDIA TITAN X (Pascal)');
  });

  it('never are what they do not say', () => {
    fc.assert(
      fc.property(fc.string(), text => {
        const value = numberOf(text);
        assert.ok(
          value === null || (Number.isFinite(value) && text.includes(String(Math.trunc(Math.abs(value))))),
        );
      }),
    );
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1e6, noNaN: true }),
        fc.constantFrom('', ' MiB', ' W', ' %'),
        (value, unit) => {
          const text = value.toFixed(2);
          assert.equal(numberOf(text + unit), Number(text));
        },
      ),
    );
  });
});

describe('gpu: nvidia-smi tables', () => {
  it('know fields by any of their names', () => {
    assert.equal(fieldName('memory.used [MiB]'), 'memory.used');
    assert.equal(fieldName('clocks.sm'), 'clocks.current.sm');
    assert.equal(fieldName(' gpu_uuid'), 'uuid');
    assert.deepEqual(queriedFields(['--query-gpu=index,gpu_name', '--format=csv']), ['index', 'name']);
    assert.deepEqual(queriedFields(['-L']), []);
  });

  it('put commas back into free text, and refuse rows that do not fit', () => {
    const columns = ['pid', 'process_name', 'used_memory'];
    assert.equal(rowOf('7, python a,b, c.py, 12', columns)?.get('process_name'), 'python a,b, c.py');
    assert.equal(rowOf('7, python a,b, c.py, 12', columns)?.get('used_memory'), '12');
    assert.equal(rowOf('7, python', columns), null);
    assert.equal(rowOf('7, 8, 9', ['pid', 'used_memory']), null);
  });

  it('are read by their header, whatever else is in them', () => {
    const { devices, samples, error } = nvidiaSmi.read(query, recorded('nv-csv-4080s-595-load.csv'), 7);
    assert.equal(error, null);
    assert.deepEqual(devices, [
      {
        key: 'GPU-00000000-0000-0000-0000-000000000000',
        vendor: 'nvidia',
        index: 0,
        uuid: 'GPU-00000000-0000-0000-0000-000000000000',
        pciBusId: '00000000:01:00.0',
        name: 'NVIDIA GeForce RTX 4080 SUPER',
        memoryTotalMiB: 16376,
        memoryKind: 'dedicated',
        driverVersion: '595.71.05',
        driverModel: null,
        powerMaxW: 400,
        virtualization: null,
        mig: null,
      },
    ]);
    const [sample] = samples;
    assert.equal(sample?.receivedMs, 7);
    assert.equal(sample.memoryReservedMiB, 434);
    assert.equal(sample.tempMemC, null);
    assert.equal(sample.unavailable['tempMemC'], 'N/A');
  });

  it('keep good fields and good rows beside bad ones', () => {
    const text =
      'index, uuid, temperature.gpu, fan.speed [%], memory.used [MiB], memory.total [MiB], name\n' +
      '0, GPU-a, [Unknown Error], ERR!, 6, 49140, NVIDIA RTX A6000\n' +
      '1, GPU-b\n' +
      'Unable to determine the device handle for GPU1: 0000:17:00.0: Unknown Error\n' +
      '2, GPU-c, 34, [N/A], 7, 49140, NVIDIA RTX A6000';
    const reading = nvidiaSmi.read(query, printed(text, 255), 0);
    assert.deepEqual(
      reading.samples.map(sample => [sample.key, sample.tempC, sample.fanPct, sample.memoryUsedMiB]),
      [
        ['GPU-a', null, null, 6],
        ['GPU-c', 34, null, 7],
      ],
    );
    assert.deepEqual(reading.samples[0]?.unavailable['fanPct'], 'ERR!');
    assert.equal(reading.error?.kind, 'gpu-lost');
  });

  it('know a GPU that is lost or needs a reset by the words in place of its values, in a stream, too', () => {
    const text =
      'index, uuid, utilization.gpu [%], memory.used [MiB], memory.total [MiB], name\n' +
      '0, GPU-a, [GPU requires reset], [GPU requires reset], 81559 MiB, NVIDIA H100\n' +
      '1, GPU-b, [GPU is lost], [GPU is lost], [GPU is lost], NVIDIA H100\n' +
      '2, GPU-c, 5 %, [N/A], 81559 MiB, NVIDIA H100\n';
    const { samples, error } = nvidiaSmi.read(query, printed(text), 0);
    assert.equal(error, null);
    const states = ['needs-reset', 'lost', undefined];
    assert.deepEqual(
      samples.map(({ state }) => state),
      states,
    );
    assert.match(samples.map(troubleOf).join(), /--gpu-reset as root.*[Rr]estart the machine\.,$/);
    const reader = nvidiaSmi.streamReader(nvidiaSmi.stream([], 1000) ?? [], 3);
    const ticks = text.split('\n').flatMap(line => reader.line(line, 0));
    assert.deepEqual(
      ticks.flatMap(tick => tick.samples.map(({ state }) => state)),
      states,
    );
  });

  it('take a warning for a warning', () => {
    const text = 'WARNING: infoROM is corrupted at gpu 0000:01:00.0\n0, GPU-a, 5';
    const reading = nvidiaSmi.read(['--query-gpu=index,uuid,utilization.gpu'], printed(text, 14), 0);
    assert.deepEqual(reading.warnings, ['infoROM corrupted 0000:01:00.0']);
    assert.equal(reading.samples[0]?.utilPct, 5);
    assert.equal(reading.error, null);
  });

  it('list compute processes', () => {
    const args = nvidiaSmi.processes() ?? [];
    const { processes } = nvidiaSmi.read(args, recorded('nv-apps-4080s-595-load.csv'), 0);
    assert.deepEqual(
      processes.map(({ pid, name, memoryUsedMiB }) => [pid, name, memoryUsedMiB]),
      [
        [2165, '/usr/bin/kwin_wayland', 25],
        [5022, 'ffmpeg', 503],
        [5021, 'ffmpeg', 360],
      ],
    );
  });

  it('never throw, and never have more rows than lines', () => {
    const line = fc.oneof(
      fc.string({ maxLength: 80 }),
      fc.constantFrom('index, uuid', '0, GPU-a, 3', ',,,', '"a, b"', 'WARNING: x', '\u0000'),
      fc
        .array(fc.constantFrom('[N/A]', '12 MiB', 'GPU-a', 'ERR!', ''), { maxLength: 25 })
        .map(cells => cells.join(', ')),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), fc.constantFrom('\n', '\r\n'), (lines, end) => {
        const { devices, samples } = nvidiaSmi.read(query, printed(lines.join(end), null), 0);
        assert.ok(devices.length <= lines.length * 2);
        assert.equal(devices.length, samples.length);
      }),
    );
  });
});

describe('gpu: nvidia-smi messages', () => {
  const kinds: readonly (readonly [string, number | null, string])[] = [
    ['nv-err-field-invalid-sm.txt', 2, 'invalid-field'],
    ['nv-err-lost-reboot.txt', 15, 'gpu-lost'],
    ['nv-err-nodriver.txt', 9, 'driver-not-loaded'],
    ['nv-err-nolib.txt', 12, 'nvml-missing'],
    ['nv-err-nodevices.txt', null, 'no-devices'],
  ];
  for (const [file, exitCode, kind] of kinds) {
    it(`${file} means ${kind}`, () => {
      const { error, devices } = nvidiaSmi.read(query, recorded(file, exitCode), 0);
      assert.equal(error?.kind, kind);
      assert.match(error.message, /\.$/);
      assert.deepEqual(devices, []);
    });
  }

  it('name the field that a driver does not know', () => {
    const { error } = nvidiaSmi.read(query, recorded('nv-err-field-invalid-sm.txt', 2), 0);
    assert.equal(error && nvidiaSmi.unknownField(error), 'clocks.applications.sm');
  });

  it('are known by the exit code where nothing is said', () => {
    assert.equal(nvidiaSmi.read(query, printed('', 9), 0).error?.kind, 'driver-not-loaded');
    assert.equal(nvidiaSmi.read(query, printed('', 77), 0).error?.kind, 'unreadable');
    assert.equal(nvidiaSmi.read(query, printed('', 0), 0).error, null);
  });
});

describe('gpu: nvidia-smi XML and lists', () => {
  it('give MIG instances their memory, their profiles and their UUIDs', () => {
    const [device] = nvidiaSmi.read(['-q', '-x'], recorded('nv-xml-tg-a100-sxm4-v12.xml'), 0).devices;
    assert.equal(device?.name, 'NVIDIA A100-SXM4-80GB');
    assert.deepEqual(device.mig?.instances[0], {
      index: 0,
      uuid: null,
      profile: null,
      gpuInstanceId: 3,
      computeInstanceId: 0,
      memoryTotalMiB: 19968,
      memoryUsedMiB: 12,
    });
    const [listed] = nvidiaSmi.read(['-L'], recorded('nv-L-h100mig-590.txt'), 0).devices;
    assert.deepEqual(
      listed?.mig?.instances.map(({ profile }) => profile),
      ['3g.40gb', '2g.20gb', '1g.10gb', '1g.10gb'],
    );
  });

  it('are read as far as they go when they are cut', () => {
    const whole = readFileSync(join(folder, 'nv-xml-tg-a100-sxm4-v12.xml'), 'utf8');
    for (let length = 0; length < whole.length; length += 997) {
      const { devices } = nvidiaSmi.read(['-q', '-x'], printed(whole.slice(0, length)), 0);
      assert.ok(devices.length <= 1);
    }
  });

  it('know XML’s own entities and no others', () => {
    const root = parseXml('<!DOCTYPE a [<!ENTITY x "boom">]><a><b>1 &lt; 2 &amp; &x;</b><c/></a>');
    assert.equal(at(root, 'a', 'b')?.text, '1 < 2 & &x;');
    assert.equal(at(root, 'a', 'd'), null);
  });

  it('never throw', () => {
    const part = fc.oneof(
      fc.string({ maxLength: 20 }),
      fc.constantFrom('<gpu>', '</gpu>', '<a b="<">', '</', '<!--', '&lt;'),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), parts => {
        nvidiaSmi.read(['-q', '-x'], printed(parts.join('')), 0);
        nvidiaSmi.read(['-L'], printed(parts.join('\n')), 0);
      }),
    );
  });
});
