import assert from 'node:assert/strict';
import type { GpuDevice } from '../../../src/gpu/device';
import type { HostStatus } from '../../../src/gpu/fleet';
import { MEASURES } from '../../../src/gpu/sample';
import type { GpuSample, Measure } from '../../../src/gpu/sample';
import { meterView as viewOf } from '../../../src/panel/meterView';

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

const meterView = (devices: readonly GpuDevice[], samples: readonly GpuSample[], status: HostStatus) =>
  viewOf({ devices, samples, status });

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
  it('shows memory and temperature', () => {
    const view = meterView([device(0)], [sample(0, { memoryUsedMiB: 15_053, tempC: 61, utilPct: 97 })], live);
    assert.equal(view.text, '$(circuit-board) 14.7 of 24 GB · 61 °C');
    assert.equal(view.label, 'GPU 0, NVIDIA GeForce RTX 4090: 14.7 of 24 GB · 61 °C, 97 percent busy');
    assert.equal(view.severity, 'none');
  });

  it('shows the GPU whose memory is fullest, and all of them in the tooltip', () => {
    const samples = [sample(0, { memoryUsedMiB: 1024 }), sample(1, { memoryUsedMiB: 20_480, powerW: 301.6 })];
    const view = meterView([device(0), device(1)], samples, live);
    assert.match(view.text, /20\.0 of 24 GB$/);
    const tooltip = view.tooltip.replaceAll('&nbsp;', ' ').replaceAll('&ensp;', '');
    assert.match(tooltip, /\| 0 \| .* \| 1\.0 of 24 GB \| n\/a \| n\/a \| n\/a \|/);
    assert.match(tooltip, /\| 1 \| .* \| 20\.0 of 24 GB \| n\/a \| n\/a \| 302 W \|/);
  });

  it('never shows 0 for what was not read', () => {
    const view = meterView([device(0, { memoryTotalMiB: null })], [], live);
    assert.equal(view.text, '$(circuit-board) n/a of n/a');
    assert.ok(!/\b0(\.0)? (of|GB|%|W)/.test(view.tooltip));
  });

  it('warns of a full or a hot card', () => {
    const full = meterView([device(0)], [sample(0, { memoryUsedMiB: 24_300 })], live);
    const hot = meterView([device(0)], [sample(0, { memoryUsedMiB: 10, tempC: 92 })], live);
    assert.deepEqual([full.severity, hot.severity], ['warning', 'warning']);
  });

  it('says why nothing comes', () => {
    const lost = { state: 'driver-error', errorKind: 'gpu-lost', message: 'GPU 0 is lost.' } as const;
    const view = meterView([device(0)], [], { ...live, ...lost });
    assert.equal(view.text, '$(circuit-board) n/a');
    assert.equal(view.severity, 'error');
    assert.match(view.tooltip, /GPU 0 is lost\.$/);
  });

  it('lets a sleeping GPU sleep', () => {
    const view = meterView([device(0)], [], { ...live, state: 'asleep' });
    assert.equal(view.text, '$(circuit-board) asleep');
    assert.equal(view.severity, 'none');
  });

  it('makes no Markdown of names', () => {
    const view = meterView([device(0, { name: '[x](command:y) | **z**' })], [], live);
    assert.ok(view.tooltip.replaceAll('&nbsp;', ' ').includes('\\[x\\]\\(command:y\\) \\| \\*\\*z\\*\\*'));
  });
});
