import assert from 'node:assert/strict';
import type { Advice } from '../../../src/core/advice/advice';
import { adviseOn } from '../../../src/core/advice/adviseOn';
import { recent } from '../../../src/core/advice/signals';
import type { Holder, Signals, Trace } from '../../../src/core/advice/signals';

const NOW_MS = 1_000_000;
const TOTAL_MIB = 24_576;

/** A reading every two seconds for the last three minutes. */
function trace(valueAt: (second: number) => number, seconds = 180): Trace {
  const count = seconds / 2;
  const at = Array.from({ length: count }, (_, i) => i * 2);
  return { timesMs: at.map(second => NOW_MS - (seconds - 2 - second) * 1000), values: at.map(valueAt) };
}

const NONE: Trace = { timesMs: [], values: [] };

/** A well-used card: no advice. */
const well: Signals = {
  nowMs: NOW_MS,
  memoryTotalMiB: TOTAL_MIB,
  utilPct: trace(() => 92),
  memoryUsedMiB: trace(() => TOTAL_MIB * 0.9),
  tempC: trace(() => 72),
  powerW: trace(() => 400),
  powerLimitW: trace(() => 450),
  cpuPct: trace(() => 30),
  throttled: [],
  holders: [],
};

const ids = (signals: Partial<Signals>): readonly string[] =>
  adviseOn({ ...well, ...signals }).map(({ rule }) => rule);

function only(signals: Partial<Signals>): Advice {
  const all = adviseOn({ ...well, ...signals });
  assert.equal(all.length, 1, JSON.stringify(all));
  return all[0]!;
}

const holder = (more: Partial<Holder>): Holder => ({
  pid: 4242,
  name: '/usr/bin/python3',
  user: 'ann',
  memoryUsedMiB: 14_336,
  graphicsOnly: false,
  ...more,
});

/** Eight seconds of work, eight seconds of waiting. */
const bursts = trace(second => (second % 16 < 8 ? 95 : 4));

describe('advice', () => {
  it('is silent for a well-used GPU', () => assert.deepEqual(adviseOn(well), []));

  it('is silent if nothing was read', () => {
    const nothing = {
      utilPct: NONE,
      memoryUsedMiB: NONE,
      tempC: NONE,
      powerW: NONE,
      powerLimitW: NONE,
      cpuPct: NONE,
      throttled: null,
      holders: null,
    };
    assert.deepEqual(adviseOn({ ...well, ...nothing }), []);
  });

  it('is silent on too little data', () => {
    const short = (value: number): Trace => trace(() => value, 60);
    assert.deepEqual(ids({ utilPct: short(20), memoryUsedMiB: short(5000), tempC: short(95) }), []);
  });

  it('is silent about old readings after new ones stop', () => {
    const later = NOW_MS + 30_000;
    assert.deepEqual(ids({ nowMs: later, tempC: trace(() => 95) }), []);
  });

  it('suggests a larger batch if the GPU waits and memory is free', () => {
    const advice = only({ utilPct: trace(() => 34), memoryUsedMiB: trace(() => TOTAL_MIB * 0.4) });
    assert.equal(advice.rule, 'low-utilisation');
    assert.equal(advice.fix, 'optimize');
    assert.match(advice.signal, /utilization 34 % \(median\), memory at most 40 %, over the last 3 min/);
    assert.match(advice.source, /guide/);
  });

  it('does not suggest a larger batch if memory is full', () => {
    assert.deepEqual(ids({ utilPct: trace(() => 34) }), []);
  });

  it('leaves an idle GPU alone', () => {
    assert.deepEqual(ids({ utilPct: trace(() => 0), memoryUsedMiB: trace(() => 10) }), []);
  });

  it('tells pauses for data from small batches', () => {
    const free = only({ utilPct: bursts, memoryUsedMiB: trace(() => 9000) });
    assert.equal(free.rule, 'waits-for-input');
    assert.match(free.message, /num_workers/);
    const full = only({ utilPct: bursts, memoryUsedMiB: trace(() => 9000), cpuPct: trace(() => 97) });
    assert.match(full.message, /More data workers would not help/);
  });

  it('does not guess pauses if CPU use is unknown', () => {
    assert.deepEqual(ids({ utilPct: bursts, memoryUsedMiB: trace(() => 9000), cpuPct: NONE }), []);
  });

  it('sees room for a larger batch only if all guides agree', () => {
    assert.deepEqual(ids({ memoryUsedMiB: trace(() => TOTAL_MIB * 0.5) }), ['memory-spare']);
  });

  it('names the target where the guides differ', () => {
    const advice = only({ memoryUsedMiB: trace(() => TOTAL_MIB * 0.67) });
    assert.equal(advice.rule, 'memory-below-target');
    assert.match(advice.message, /target of 85–95 %/);
    assert.match(advice.source, /utilisation guide takes 40–60 % for enough/);
  });

  it('names more GPUs where the GPU is the limit, once its memory is used', () => {
    const advice = only({ utilPct: trace(() => 99) });
    assert.deepEqual([advice.rule, advice.severity], ['gpu-is-the-limit', 'information']);
    assert.match(advice.source, /add more GPUs/);
    const withRoom = { utilPct: trace(() => 99), memoryUsedMiB: trace(() => TOTAL_MIB * 0.5) };
    assert.deepEqual(ids(withRoom), ['memory-spare']);
  });

  it('warns of memory that is full', () => {
    const advice = only({ memoryUsedMiB: trace(second => TOTAL_MIB * (second === 60 ? 0.97 : 0.9)) });
    assert.deepEqual([advice.rule, advice.severity], ['memory-full', 'warning']);
    assert.match(advice.signal, /up to 97 %/);
  });

  it('warns about lasting heat, not about one reading', () => {
    assert.deepEqual(ids({ tempC: trace(() => 88) }), ['hot']);
    assert.deepEqual(ids({ tempC: trace(second => (second === 10 ? 99 : 70)) }), []);
  });

  it('warns about thermal throttling, also below the threshold', () => {
    const advice = only({
      tempC: trace(() => 83),
      throttled: [{ reason: 'SW thermal slowdown', share: 0.4 }],
    });
    assert.match(advice.message, /The GPU throttles/);
    assert.match(advice.signal, /in 40 % of the readings/);
  });

  it('reports the power limit if it mostly limits', () => {
    const reason = 'SW power cap';
    assert.deepEqual(ids({ throttled: [{ reason, share: 0.8 }] }), ['power-limited']);
    assert.deepEqual(ids({ throttled: [{ reason, share: 0.2 }] }), []);
  });

  it('names processes that hold memory without work', () => {
    const advice = only({ utilPct: trace(() => 0), holders: [holder({}), holder({ memoryUsedMiB: 2048 })] });
    assert.equal(advice.fix, 'processes');
    assert.match(advice.message, /^python3 of ann \(process 4242\) uses 14\.0 GB/);
  });

  it('leaves the desktop alone', () => {
    assert.deepEqual(ids({ utilPct: trace(() => 0), holders: [holder({ graphicsOnly: true })] }), []);
  });

  it('ignores values that were not read', () => {
    const holes = trace(second => (second % 4 === 0 ? NaN : 50));
    assert.ok(recent(holes, NOW_MS)?.values.every(value => value === 50));
  });
});
