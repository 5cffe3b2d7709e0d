import assert from 'node:assert/strict';
import { hostCard } from '../../../src/panel/page/cards';
import { holders, inShort, machine, nextTry, predicted, reading, roomFor } from '../../../webview/format';
import { scaleOf } from '../../../webview/frames';
import {
  NOW_MS,
  idle,
  local,
  nvidia,
  onDevice,
  predicted as prediction,
  readingAt,
  sceneHost,
  status,
} from '../../webview/scenes';

const gpu = nvidia(0, 'NVIDIA GeForce RTX 4090', 24_564);

/** A card with the given amount of memory in use. */
function card(
  heldMiB: number,
  device = gpu,
  processes = [onDevice(gpu, 7, { user: 'ann', memoryUsedMiB: 2048 })],
) {
  const host = sceneHost(local, [{ device, load: idle(heldMiB, 450), processes }]);
  return hostCard(readingAt(host, 0)).devices[0]!;
}

describe("the panel's words", () => {
  it('say what is read beside what is at most possible', () => {
    const device = card(15_053);
    assert.equal(reading('memoryUsedMiB', device, device.now), '14.7 of 24 GB');
    assert.equal(reading('powerW', device, device.now), '22 of 450 W');
    assert.equal(inShort(device, device.now), '14.7 of 24 GB · 0 % · 38 °C · 22 W');
  });

  it('say n/a for what was not read, never 0', () => {
    const device = card(0);
    assert.equal(reading('memoryUsedMiB', device, null), 'n/a of 24 GB');
    assert.equal(reading('utilPct', device, null), 'n/a');
    const nameless = card(100, { ...gpu, memoryTotalMiB: null });
    assert.equal(reading('memoryUsedMiB', nameless, null), 'n/a');
  });

  it('say who holds the memory', () => {
    assert.equal(holders(card(15_000)), 'ann: python3 2.0 GB');
    assert.equal(holders(card(15_000, gpu, [])), 'No processes');
    assert.equal(holders({ ...card(15_000), processes: null }), null);
  });

  it('say what is predicted, and whether it goes into what is free', () => {
    assert.equal(predicted(prediction), 'qlora.yml ≈ 20.9 GB per GPU (19.4–22.6 GB), for RTX 4090');
    assert.equal(
      predicted({ ...prediction, basis: 'dry run' }),
      'qlora.yml ≈ 20.9 GB per GPU (19.4–22.6 GB), by a dry run, for RTX 4090',
    );
    const room = (heldMiB: number) => roomFor(prediction, card(heldMiB), card(heldMiB).now);
    assert.equal(room(400), 'fits in the 23.6 GB free');
    assert.equal(room(2500), 'may just fit in the 21.5 GB free');
    assert.equal(room(15_000), 'needs more than the 9.3 GB free');
    const small = card(400, { ...gpu, memoryTotalMiB: 8192 });
    assert.equal(roomFor(prediction, small, small.now), 'needs more memory than the GPU has');
  });

  it('promise nothing of unified memory and of slices', () => {
    const unified = card(400, { ...gpu, memoryKind: 'unified' });
    const sliced = card(400, { ...gpu, mig: { enabled: true, instances: [] } });
    assert.equal(roomFor(prediction, unified, unified.now), null);
    assert.equal(roomFor(prediction, sliced, sliced.now), null);
  });

  it('tell of the machine only what is known', () => {
    assert.equal(
      machine({ cpuPct: 34.4, memoryTotalMiB: 65_536, memoryUsedMiB: 21_504 }),
      'CPU 34 % · memory 21.0 of 64 GB',
    );
    assert.equal(machine({ cpuPct: null, memoryTotalMiB: null, memoryUsedMiB: 3 }), null);
    assert.equal(machine(null), null);
  });

  it('tell when it is tried again, without counting every second', () => {
    const in_ = (ms: number) => nextTry(status('unreachable', { nextTryMs: NOW_MS + ms }), NOW_MS);
    assert.deepEqual(
      [in_(11_000), in_(14_000), in_(90_000), in_(-1)],
      ['retrying in 15 s', 'retrying in 15 s', 'retrying in 2 min', 'retrying'],
    );
    assert.equal(nextTry(status('live', { nextTryMs: NOW_MS + 9 }), NOW_MS), null);
  });
});

describe("a chart's limits", () => {
  it('are the card and the limit, which stand beside the chart', () => {
    const device = card(100);
    const memory = scaleOf('memoryUsedMiB', device, device.now, [1, 2], null);
    assert.deepEqual([memory.max, memory.top, memory.band], [24_564, '', null]);
    assert.equal(scaleOf('powerW', device, device.now, [1], null).max, 450);
  });

  it('grow for a prediction that is too large, but not beyond measure', () => {
    const device = card(100);
    const far = { ...prediction, highMiB: 1_000_000 };
    const scale = scaleOf('memoryUsedMiB', device, device.now, [], far);
    assert.equal(scale.max, 24_564 * 1.5);
    assert.notEqual(scale.top, '');
  });

  it('follow what was read where nothing else is known, and say so', () => {
    const device = card(100, { ...gpu, memoryTotalMiB: null });
    const scale = scaleOf('memoryUsedMiB', device, device.now, [null, 4096], null);
    assert.ok(scale.max > 4096);
    assert.match(scale.top, /GB$/);
  });
});
