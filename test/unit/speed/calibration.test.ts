import assert from 'node:assert/strict';
import type { MeasuredRates } from '../../../src/core/hardware/measuredRates';
import { ratesLine, readRates } from '../../../src/core/learn/pastSpeed';
import { runSpeed } from '../../../src/core/plan/speed';
import type { Speed } from '../../../src/core/speed/speed';
import type { RunAnalysis } from '../../../src/core/rules/analysis';
import { axolotl, judged } from '../core/support';

const RATES: MeasuredRates = {
  schema: 'headroom-rates/1',
  at: '2026-03-01T00:00:00.000Z',
  gpu: 'NVIDIA A100-SXM4-80GB',
  flops: { half: 240e12, fp32: 19e12 },
  bytesPerSecond: 1.7e12,
};

function speedWith(analysis: RunAnalysis, rates: readonly MeasuredRates[]): Speed {
  const speed = runSpeed({ ...analysis, lessons: { measurements: [], rates, by: 'now' } });
  assert.ok(speed.ok, JSON.stringify(speed));
  return speed;
}

describe('a calibrated GPU', () => {
  it('makes times longer where it reaches less, and says where its rates are from', async () => {
    const analysis = await judged(axolotl({ sample_packing: true }), 'A100 80GB');
    const own = { ...RATES, gpu: analysis.target?.gpu?.name ?? '' };
    const half = { ...own, flops: { half: own.flops.half / 2, fp32: own.flops.fp32 / 2 } };
    const [whole, slow] = [speedWith(analysis, [own]), speedWith(analysis, [half])];
    const ratio = slow.secondsPerStep.expected / whole.secondsPerStep.expected;
    assert.ok(ratio > 1.3 && ratio <= 2, String(ratio));
    assert.equal(whole.assumptions.at(-1), 'rates as calibrated on such a GPU (2026-03-01)');
    assert.deepEqual(speedWith(analysis, [{ ...own, gpu: 'NVIDIA L4' }]), speedWith(analysis, []));
    const later = { ...half, at: '2026-04-01T00:00:00.000Z' };
    assert.equal(speedWith(analysis, [later, own]).secondsPerStep.expected, slow.secondsPerStep.expected);
  });

  it('is read back as it was written, and broken lines are left out', () => {
    const broken = ratesLine({ ...RATES, bytesPerSecond: 0 });
    assert.deepEqual(readRates(`${ratesLine(RATES)}{"schema":"headroom-rates/1"\n${broken}\n`), [RATES]);
  });
});
