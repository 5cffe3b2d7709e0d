import assert from 'node:assert/strict';
import { amongPublished, longestOfDrawn, publishedLengths } from '../../../src/core/lengths/published';
import { axolotl, judged } from '../core/support';

describe('lengths: published ones', () => {
  it('are those of both hubs, whatever the case', () => {
    const lengths = publishedLengths('Yahma/alpaca-cleaned');
    assert.deepEqual(lengths, publishedLengths('AI-ModelScope/alpaca-cleaned'));
    assert.equal(lengths?.longest, 1028);
    assert.equal(publishedLengths('someone/data'), null);
    assert.equal(publishedLengths('constructor'), null);
  });

  it('give the longest of some rows: the more, the longer, up to that of all', () => {
    const lengths = { rows: 50_000, mean: 170, deviation: 123, longest: 1028, hasPictures: false };
    const longest = [1, 100, 10_000, 50_000].map(drawn => Math.round(longestOfDrawn(lengths, drawn)));
    assert.deepEqual(longest, [138, 625, 1028, 1028]);
  });

  it('differ: half of all data have no row of 2,300 tokens, nine in ten none of 31,000', () => {
    assert.ok(amongPublished(0.5, ({ longest }) => longest) < 2300);
    assert.ok(amongPublished(0.9, ({ longest }) => longest) < 31_000);
  });

  const config = (data: string, more: Parameters<typeof axolotl>[0] = {}): string =>
    axolotl({ sample_packing: false, sequence_len: 8192, micro_batch_size: 2, ...more }) +
    `datasets:\n  - {path: ${data}, type: alpaca}\n`;

  it('are expected where all data are public, and the limit stays possible', async () => {
    const run = await judged(config('yahma/alpaca-cleaned'));
    const other = await judged(config('yahma/alpaca-cleaned', { sequence_len: 1088 }));
    const [device] = run.estimate?.devices ?? [];
    const [same] = other.estimate?.devices ?? [];
    assert.equal(device?.device.expected, same?.device.expected);
    assert.ok((device?.device.high ?? 0) > (same?.device.high ?? 0));
    assert.equal(run.verdict, 'tight', 'the limit decides whether it fits');
    assert.match(run.estimate?.assumptions.join() ?? '', /rows of 1088 tokens/);
  });

  it('are usual ones for other data, unless rows are packed or the limit is above the model’s positions', async () => {
    const tokensOf = async (more: Parameters<typeof axolotl>[0]): Promise<string | undefined> => {
      const { estimate } = await judged(config('data/train.jsonl', more));
      return /rows of (\d+) tokens, the longest/.exec(estimate?.assumptions.join() ?? '')?.[1];
    };
    assert.equal(await tokensOf({}), '2240');
    assert.equal(await tokensOf({ sequence_len: 2048 }), undefined);
    assert.equal(await tokensOf({ sample_packing: true }), undefined);
    assert.equal(await tokensOf({ sequence_len: 16_384 }), undefined);
  });
});
