import assert from 'node:assert/strict';
import type { Estimate } from '../../../src/core/memory/estimate';
import { axolotl, judge } from '../core/support';

async function estimateOf(changes: Readonly<Record<string, string | number | boolean>>): Promise<Estimate> {
  const file = axolotl({ sample_packing: false, ...changes });
  const [run] = (await judge({ 'a.yaml': file }, 'H100 SXM')).runs;
  assert.ok(run?.estimate);
  return run.estimate;
}

const lowest = ({ devices: [device] }: Estimate): number => device?.device.low ?? NaN;
const expected = ({ devices: [device] }: Estimate): number => device?.device.expected ?? NaN;

describe('rows whose lengths nobody counted', () => {
  it('may be short: the least bytes are those of short rows, and the estimate says what it is for', async () => {
    for (const limit of [1024, 4096]) {
      const padded = await estimateOf({ sequence_len: limit, micro_batch_size: 8 });
      const packed = await estimateOf({ sequence_len: limit, micro_batch_size: 8, sample_packing: true });
      assert.ok(
        lowest(padded) / expected(padded) < 0.8 * (lowest(packed) / expected(packed)),
        `${limit}: ${lowest(padded)} of ${expected(padded)}`,
      );
      assert.match(padded.assumptions.join('; '), /rows of \d+ tokens, the (?:limit|longest)/);
      assert.doesNotMatch(packed.assumptions.join('; '), /rows of \d+ tokens/);
    }
  });

  it('takes no less than what does not grow with rows', async () => {
    const { devices } = await estimateOf({ sequence_len: 1024, micro_batch_size: 8 });
    const [device] = devices;
    assert.ok(device);
    const fixed = device.terms.filter(({ term }) => ['weights', 'adapters'].includes(term));
    assert.ok(device.device.low > 0.5 * fixed.reduce((sum, { bytes }) => sum + bytes, 0));
    assert.ok(device.device.low <= device.device.expected);
    assert.ok(device.allocated.low <= device.reserved.low);
  });
});
