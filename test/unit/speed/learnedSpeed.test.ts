import assert from 'node:assert/strict';
import { featuresOf } from '../../../src/core/learn/features';
import { readSpeeds, speedLine } from '../../../src/core/learn/pastSpeed';
import type { PastSpeed } from '../../../src/core/learn/pastSpeed';
import { runSpeed } from '../../../src/core/plan/speed';
import type { Speed } from '../../../src/core/speed/speed';
import type { RunAnalysis } from '../../../src/core/rules/analysis';
import { axolotl, judged } from '../core/support';

const packed = (changes: Readonly<Record<string, string | number | boolean>> = {}): string =>
  axolotl({ sample_packing: true, ...changes });

const analysisOf = (text: string): Promise<RunAnalysis> => judged(text, 'A100 80GB');

function speedOf(analysis: RunAnalysis, speeds: readonly PastSpeed[]): Speed {
  const speed = runSpeed({ ...analysis, lessons: { measurements: [], speeds, by: 'now' } });
  assert.ok(speed.ok, JSON.stringify(speed));
  return speed;
}

/** The analysis as it was measured, in seconds of a step. */
function measured(
  analysis: RunAnalysis,
  secondsPerStep: number,
  changes: Partial<PastSpeed> = {},
): PastSpeed {
  const { run, model, target: on } = analysis;
  const computed = speedOf(analysis, []);
  return {
    schema: 'headroom-speed/1',
    at: '2026-03-01T00:00:00.000Z',
    config: 'a.yaml',
    framework: run.framework.name,
    family: model?.modelType ?? null,
    gpu: on?.gpu?.name ?? '',
    gpus: computed.gpus,
    features: featuresOf(run),
    gradAccum: run.quantities.gradAccum.value ?? 1,
    secondsPerStep,
    isWhole: false,
    predicted: { secondsPerStep: computed.secondsPerStep.expected, by: 'now' },
    ...changes,
  };
}

describe('speeds of past runs', () => {
  it('replace the computed time of the same run, and what follows from it', async () => {
    const analysis = await analysisOf(packed());
    const computed = speedOf(analysis, []);
    const seconds = 2 * computed.secondsPerStep.expected;
    const learned = speedOf(analysis, [measured(analysis, seconds)]);
    assert.equal(learned.secondsPerStep.expected, seconds);
    assert.ok(Math.abs(learned.hours.expected / computed.hours.expected - 2) < 1e-9);
    assert.ok(Math.abs(learned.perSecondPerGpu.expected / computed.perSecondPerGpu.expected - 0.5) < 1e-9);
    assert.ok(Math.abs((learned.dollars?.expected ?? 0) / (computed.dollars?.expected ?? 1) - 2) < 1e-9);
    const { low, expected, high } = learned.perSecondPerGpu;
    assert.ok(low < expected && expected < high);
    assert.match(learned.assumptions.at(-1) ?? '', /^the time of a step was measured \(2026-03-01\)$/);
  });

  it('move a similar run halfway, and count neither for another GPU nor after another version', async () => {
    const analysis = await analysisOf(packed());
    const other = await analysisOf(packed({ micro_batch_size: 1 }));
    const computed = speedOf(other, []).secondsPerStep.expected;
    const twice = measured(analysis, 2 * speedOf(analysis, []).secondsPerStep.expected);
    const moved = speedOf(other, [twice]).secondsPerStep.expected;
    assert.ok(Math.abs(moved / computed - Math.SQRT2) < 1e-9, String(moved / computed));
    const old = { ...twice, predicted: { secondsPerStep: 1, by: 'before' } };
    assert.equal(speedOf(other, [old]).secondsPerStep.expected, computed);
    assert.equal(speedOf(other, [{ ...twice, gpu: 'NVIDIA L4' }]).secondsPerStep.expected, computed);
  });

  it('are read back as they were written, and broken lines are left out', async () => {
    const one = measured(await analysisOf(packed()), 2.5);
    const broken = speedLine({ ...one, secondsPerStep: -1 });
    assert.deepEqual(readSpeeds(`${speedLine(one)}{"schema":"headroom-speed/1"\n${broken}\n`), [one]);
  });
});
