import assert from 'node:assert/strict';
import type { GpuDevice } from '../../../src/gpu/device';
import type { Host, HostReading, HostStatus } from '../../../src/gpu/fleet';
import { MEASURES } from '../../../src/gpu/sample';
import type { GpuProcess, GpuSample, Measure } from '../../../src/gpu/sample';
import { DEFAULT_FORMAT, formatProblem, formatRow } from '../../../src/panel/meterFormat';
import { english, sayIn } from '../../../src/core/text/say';
import { meterView as viewIn } from '../../../src/panel/meterView';
import type { MeterView } from '../../../src/panel/meterView';

const live: HostStatus = {
  state: 'live',
  message: null,
  todo: null,
  text: null,
  sinceMs: 0,
  nextTryMs: null,
  collector: 'nvidia-smi stream',
  latencyMs: null,
};

const LOCAL: Host = { id: 'local', kind: 'local', name: 'This machine' };
const BOX: Host = { id: 'ssh:box', kind: 'ssh', name: 'box' };
const ANY = { gpu: '', format: DEFAULT_FORMAT };

const read = (
  devices: readonly GpuDevice[],
  samples: readonly GpuSample[],
  status: HostStatus = live,
  host = LOCAL,
  processes: readonly GpuProcess[] | null = null,
): HostReading => ({ host, status, devices, samples, processes, machine: null, capacities: [] });

const viewOf = (readings: readonly HostReading[], options: Parameters<typeof viewIn>[1]): MeterView =>
  viewIn(readings, options, english);

const meterView = (devices: readonly GpuDevice[], samples: readonly GpuSample[], status: HostStatus) =>
  viewOf([read(devices, samples, status)], ANY);

const inText = (view: MeterView): string =>
  view.tooltip.source.replaceAll('&nbsp;', ' ').replaceAll('&ensp;', '');

function device(index: number, more: Partial<GpuDevice> = {}): GpuDevice {
  return {
    key: `gpu-${index}`,
    vendor: 'nvidia',
    index,
    uuid: `gpu-${index}`,
    pciBusId: null,
    name: 'NVIDIA GeForce RTX 4090',
    memoryTotalMiB: 24_564,
    memoryKind: 'dedicated',
    driverVersion: '595.71.05',
    driverModel: null,
    virtualization: null,
    mig: null,
    ...more,
  };
}

function sample(index: number, measures: Partial<Record<Measure, number>>): GpuSample {
  const nothing = Object.fromEntries(MEASURES.map(measure => [measure, null])) as Record<Measure, null>;
  return { ...nothing, ...measures, key: `gpu-${index}`, receivedMs: 0, pstate: null, unavailable: {} };
}

describe('the GPU meter', () => {
  it('is said in the language of the window', () => {
    const say = sayIn({ '{0} of {1}': '{0} / {1}', '{0} percent busy': '占用率 {0}%', name: '名称' });
    const busy = read([device(0)], [sample(0, { memoryUsedMiB: 15_053, tempC: 61, utilPct: 97 })]);
    const view = viewIn([busy], ANY, say);
    assert.equal(view.text, '$(circuit-board) 14.7 / 24 GB · 61 °C');
    assert.match(view.label, /, 占用率 97%$/);
    assert.match(inText(view), /GPU \| 名称 \|/);
  });

  it('shows memory and temperature', () => {
    const view = meterView([device(0)], [sample(0, { memoryUsedMiB: 15_053, tempC: 61, utilPct: 97 })], live);
    assert.equal(view.text, '$(circuit-board) 14.7 of 24 GB · 61 °C');
    assert.equal(view.label, 'GPU 0, NVIDIA GeForce RTX 4090: 14.7 of 24 GB · 61 °C, 97 percent busy');
    assert.equal(view.severity, 'none');
  });

  it('shows the GPU with the fullest memory, and all in the tooltip', () => {
    const samples = [sample(0, { memoryUsedMiB: 1024 }), sample(1, { memoryUsedMiB: 20_480, powerW: 301.6 })];
    const view = meterView([device(0), device(1)], samples, live);
    assert.match(view.text, /20\.0 of 24 GB$/);
    const tooltip = view.tooltip.source.replaceAll('&nbsp;', ' ').replaceAll('&ensp;', '');
    assert.match(tooltip, /\| 0 \| .* \| 1\.0 of 24 GB \| n\/a \| n\/a \| n\/a \|/);
    assert.match(tooltip, /\| 1 \| .* \| 20\.0 of 24 GB \| n\/a \| n\/a \| 302 W \|/);
  });

  it('never shows 0 for unread values', () => {
    const view = meterView([device(0, { memoryTotalMiB: null })], [], live);
    assert.equal(view.text, '$(circuit-board) n/a of n/a');
    assert.ok(!/\b0(\.0)? (of|GB|%|W)/.test(view.tooltip.source));
  });

  it('warns about a full or hot card', () => {
    const full = meterView([device(0)], [sample(0, { memoryUsedMiB: 24_300 })], live);
    const hot = meterView([device(0)], [sample(0, { memoryUsedMiB: 10, tempC: 92 })], live);
    assert.deepEqual([full.severity, hot.severity], ['warning', 'warning']);
  });

  it('says why there are no readings', () => {
    const lost = { state: 'driver-error', errorKind: 'gpu-lost', message: 'GPU 0 is lost.' } as const;
    const view = meterView([device(0)], [], { ...live, ...lost });
    assert.equal(view.text, '$(circuit-board) n/a');
    assert.equal(view.severity, 'error');
    assert.match(view.tooltip.source, /GPU 0 is lost\.$/);
  });

  it('does not wake a sleeping GPU', () => {
    const view = meterView([device(0)], [], { ...live, state: 'asleep' });
    assert.equal(view.text, '$(circuit-board) asleep');
    assert.equal(view.severity, 'none');
  });

  it('escapes Markdown in names', () => {
    const view = meterView([device(0, { name: '[x](command:y) | **z**' })], [], live);
    assert.ok(
      view.tooltip.source.replaceAll('&nbsp;', ' ').includes('\\[x\\]\\(command:y\\) \\| \\*\\*z\\*\\*'),
    );
  });

  it('shows the chosen GPU, by its UUID or machine', () => {
    const samples = [sample(0, { memoryUsedMiB: 1024 }), sample(1, { memoryUsedMiB: 20_480 })];
    const devices = [device(0), device(1)];
    const readings = [read(devices, samples), read(devices, samples, live, BOX)];
    const byUuid = viewOf(readings, { ...ANY, gpu: 'gpu-0' });
    assert.match(byUuid.text, / 1\.0 of 24 GB$/);
    const byHost = viewOf(readings, { gpu: 'ssh:box/gpu-1', format: '{host} {memory}' });
    assert.equal(byHost.text, '$(circuit-board) box 20.0 of 24 GB');
    assert.match(byHost.label, /^box, GPU 1, /);
    const gone = viewOf(readings, { ...ANY, gpu: 'GPU-nowhere' });
    assert.match(gone.text, /20\.0 of 24 GB/);
    assert.match(gone.tooltip.source, /chosen GPU is not available/);
  });

  it('prefers this machine, and dedicated memory', () => {
    const shared = device(1, { memoryKind: 'unified' });
    const samples = [sample(0, { memoryUsedMiB: 1024 }), sample(1, { memoryUsedMiB: 20_480 })];
    const there = read([device(0)], [sample(0, { memoryUsedMiB: 24_000 })], live, BOX);
    const view = viewOf([read([device(0), shared], samples), there], ANY);
    assert.match(view.text, / 1\.0 of 24 GB$/);
    const only = viewOf([read([], []), there], ANY);
    assert.match(only.text, /23\.4 of 24 GB$/);
  });

  it('lists every machine and the memory holders in its tooltip', () => {
    const process: GpuProcess = {
      pid: 7,
      name: '/usr/bin/python3',
      memoryUsedMiB: 12_288,
      type: 'C',
      user: 'ana',
      command: null,
      gpuIndex: null,
      gpuUuid: 'gpu-1',
      pciBusId: null,
      gpuInstanceId: null,
      computeInstanceId: null,
    };
    const small = { ...process, pid: 8, name: 'small', memoryUsedMiB: 12, user: null, gpuUuid: null };
    const here = read([device(0), device(1)], [], live, LOCAL, [small, process]);
    const status: HostStatus = {
      ...live,
      state: 'auth-needed',
      message: 'box wants a login.',
      todo: 'Run ssh box once.',
    };
    const text = inText(viewOf([here, read([device(0)], [], status, BOX)], ANY));
    assert.match(text, /- 12\.0 GB python3 \\\(ana, GPU 1\\\)\n- 12 MB small\n/);
    assert.match(text, /\*\*box\*\* \\\(auth-needed\\\)/);
    assert.match(text, /box wants a login\. Run ssh box once\./);
  });

  it('does not list a whole cluster', () => {
    const many = Array.from({ length: 64 }, (_, i) => device(i));
    const view = viewOf([read(many, [])], ANY);
    assert.equal(view.tooltip.source.split('\n').filter(line => /^\| \d/.test(line)).length, 16);
    assert.match(view.tooltip.source, /… and 48 more GPUs/);
  });
});

describe('the format of the meter', () => {
  const full = sample(0, { memoryUsedMiB: 12_282, tempC: 61, utilPct: 97, powerW: 301.6 });
  const row = { host: 'box', device: device(0), sample: full };

  it('has a placeholder for every shown value', () => {
    const format = '{name} {memoryPct} · {util} · {temp} · {power} · {host}';
    assert.equal(formatRow(format, row), 'RTX 4090 50 % · 97 % · 61 °C · 302 W · box');
    assert.equal(formatProblem(format), null);
  });

  it('omits unread values with their separator', () => {
    const cold = { ...row, sample: sample(0, { memoryUsedMiB: 1024 }) };
    assert.equal(formatRow('{temp} · {memory} | {power}', cold), '1.0 of 24 GB');
    assert.equal(formatRow('{memory} {temp}', cold), '1.0 of 24 GB n/a');
  });

  it('reports an unknown placeholder, and shows the default', () => {
    assert.match(formatProblem('{memory} {tmp}') ?? '', /unknown placeholder \{tmp\}\. Use \{memory\}/);
    assert.match(formatProblem('GPU') ?? '', /has no placeholder/);
    const view = viewOf([read([device(0)], [full])], { gpu: '', format: '{tmp}' });
    assert.equal(view.text, '$(circuit-board) 12.0 of 24 GB · 61 °C');
    assert.match(view.tooltip.source, /unknown placeholder/);
  });
});
