import assert from 'node:assert/strict';
import { deviceNote } from '../../../src/cli/embed/config';
import { roughly } from '../../../src/cli/embed/progress';
import { Meter, weightOf } from '../../../src/embed/run/progress';

describe('embed: time left', () => {
  it('is estimated from text lengths if known: long texts come first', () => {
    let nowMs = 0;
    const meter = new Meter(() => nowMs, { rows: 100, weight: 10_000 }, 0);
    nowMs = 60_000;
    meter.add(10, 1500, 6000);
    assert.equal(meter.read().etaS, 40);
    meter.add(90, 1000, 4000);
    assert.equal(meter.read().etaS, 0);
  });

  it('is estimated from rows if lengths are unknown, and unknown for piped input', () => {
    let nowMs = 0;
    const meter = new Meter(() => nowMs, { rows: 100, weight: null }, 0);
    const piped = new Meter(() => nowMs, { rows: null, weight: null }, 0);
    nowMs = 10_000;
    for (const each of [meter, piped]) each.add(20, 100, 500);
    assert.equal(meter.read().etaS, 40);
    assert.equal(piped.read().etaS, null);
  });

  it("counts an earlier run's rows as done", () => {
    let nowMs = 0;
    const meter = new Meter(() => nowMs, { rows: 100, weight: 10_000 }, 50);
    nowMs = 10_000;
    meter.add(25, 600, 2500);
    assert.equal(meter.read().etaS, 10);
  });

  it("counts a text only up to the model's maximum", () => {
    const model = { maxTokens: 10 };
    assert.equal(weightOf('a'.repeat(1000), model), weightOf('a'.repeat(40), model));
    assert.ok(weightOf('', model) > 0);
  });

  it('is rounded like a first guess', () => {
    assert.deepEqual([43, 100, 250, 5_000, 7_190].map(roughly), [
      '40 s',
      '2 min',
      '4 min',
      '1 h 20 min',
      '2 h',
    ]);
  });
});

describe('embed: an unused device of a config', () => {
  it('is reported if it names GPUs', () => {
    assert.match(deviceNote(4) ?? '', /names 4 GPUs: .+ add --gpus all\.$/);
    for (const gpus of [1, null]) assert.equal(deviceNote(gpus), null);
  });
});
