import assert from 'node:assert/strict';
import { serverSpeed } from '../../../src/core/plan/speed';
import { describeServedSpeed } from '../../../src/core/render/speed';
import type { RunAnalysis } from '../../../src/core/rules/analysis';
import { servedSpeed } from '../../../src/core/speed/serving';
import type { ServedSpeed } from '../../../src/core/speed/serving';
import { judged } from '../core/support';
import { english } from '../../../src/core/text/say';

const QWEN = 'Qwen/Qwen2.5-7B-Instruct';

const served = (model = QWEN, length = 8192, more = '', gpu = 'H100'): Promise<RunAnalysis> =>
  judged(`model: ${model}\nmax-model-len: ${length}\ngpu-memory-utilization: 0.9\n${more}`, gpu);

function speedOf(analysis: RunAnalysis): ServedSpeed {
  const speed = serverSpeed(analysis);
  assert.ok(speed, analysis.missing.join('; '));
  return speed;
}

describe('the speed of a server', () => {
  it('says tokens a second for one request, for as many as run at once, and for prompts', async () => {
    const speed = speedOf(await served());
    for (const { low, expected, high } of [speed.prefill, speed.alone, speed.together]) {
      assert.ok(low < expected && expected < high);
    }
    assert.match(
      describeServedSpeed(english, speed),
      /^≈ \d+ tokens\/s written for one request \(\d+–\d+\), [\d,]+ for \d+ at once, [\d,]+ tokens\/s of prompts read/,
    );
  });

  it('reads all weights of a dense model for each token: never faster than memory', async () => {
    const analysis = await served();
    const room = analysis.estimate?.devices[0]?.served;
    const bandwidth = 1e9 * (analysis.target?.gpu?.bandwidthGBs ?? 0);
    const { alone } = speedOf(analysis);
    assert.ok(room && alone.expected < bandwidth / room.weightsBytes);
    assert.ok(alone.expected > bandwidth / room.weightsBytes / 3);
  });

  it('reads few experts for one request, and more for many', async () => {
    const { alone, together } = speedOf(await served('Qwen/Qwen3-30B-A3B'));
    const dense = speedOf(await served('Qwen/Qwen2.5-32B-Instruct'));
    assert.ok(alone.expected > 3 * dense.alone.expected);
    assert.ok(together.expected / together.requests < alone.expected);
  });

  it('is slower for larger models, longer requests and slower memory; many at once never beat each alone', async () => {
    const [small, large] = [speedOf(await served()), speedOf(await served('Qwen/Qwen2.5-14B-Instruct'))];
    assert.ok(large.alone.expected < small.alone.expected && large.prefill.expected < small.prefill.expected);
    assert.ok(speedOf(await served(QWEN, 32_768)).alone.expected < small.alone.expected);
    assert.ok(speedOf(await served(QWEN, 8192, '', 'A100 80GB')).alone.expected < small.alone.expected);
    assert.ok(small.together.expected >= small.alone.expected);
    assert.ok(small.together.expected <= small.together.requests * small.alone.expected);
  });

  it('is at most twice as fast on twice the ranks, and never more requests than the engine takes', async () => {
    const [one, two] = [
      speedOf(await served()),
      speedOf(await served(QWEN, 8192, 'tensor-parallel-size: 2\n')),
    ];
    assert.ok(two.alone.expected > one.alone.expected && two.alone.expected <= 2 * one.alone.expected);
    assert.ok(two.prefill.expected <= 2 * one.prefill.expected);
    assert.equal(speedOf(await served(QWEN, 8192, 'max-num-seqs: 8\n')).together.requests, 8);
  });

  it('is unknown without rates, and follows a calibration', async () => {
    const analysis = await served();
    const gpu = analysis.target?.gpu?.name ?? '';
    const rates = (bytesPerSecond: number) =>
      servedSpeed(analysis.estimate, analysis.target, {
        ...({ schema: 'headroom-rates/1', at: '2026-03-01', gpu, bytesPerSecond } as const),
        flops: { half: 600e12, fp32: 50e12 },
      })?.alone.expected ?? 0;
    assert.ok(rates(1.5e12) < rates(3e12) && rates(3e12) <= 2 * rates(1.5e12));
    assert.equal(serverSpeed(await served(QWEN, 8192, '', '80GB')), null);
    assert.equal(serverSpeed(await served(QWEN, 8192, 'cpu-offload-gb: 8\n')), null, 'weights on the host');
    const drafts = 'speculative-config:\n  method: eagle3\n  model: a/b\n';
    assert.equal(serverSpeed(await served(QWEN, 8192, drafts)), null, 'drafts');
  });
});
