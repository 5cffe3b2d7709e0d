import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { sglang } from '../../../src/core/memory/frameworks/sglang';
import type { ModelFacts } from '../../../src/core/models/model';
import { smallLlama } from './support';

/**
 * What eight releases' own code (srt/server_args.py) answers for seven GPU sizes, four layouts and three chunks, run with
 * Python for text models without speculative decoding.
 */
const rows = readFileSync('test/fixtures/serving/sglang-shares.csv', 'utf8').trim().split('\n').slice(1);

const shareIn = (
  release: string,
  [totalMiB, tensorRanks, stages]: readonly [number, number, number],
  chunk: number | null,
  model: ModelFacts = smallLlama,
  attentionCopies = 1,
): number => {
  const share = sglang.serving?.inRelease?.(release).ownShare?.({
    ...{ totalMiB, tensorRanks, ranks: tensorRanks * stages, attentionCopies, chunk, model },
  });
  assert.ok(share !== undefined);
  return share;
};

describe("SGLang's own share of a GPU", () => {
  it('is what the releases compute', () => {
    assert.equal(rows.length, 672);
    for (const row of rows) {
      const [release = '', totalMiB, ranks, stages, chunk, share] = row.split(',');
      const size = [Number(totalMiB), Number(ranks), Number(stages)] as const;
      const found = shareIn(release, size, chunk === '' ? null : Number(chunk));
      assert.ok(Math.abs(found - Number(share)) <= 0.0006, `${row}: ${found}`);
    }
  });

  it('leaves more with copies of attention, as each release computes it', () => {
    const copies = (release: string, count: number): number =>
      shareIn(release, [81_559, 8, 1], null, smallLlama, count);
    // 512 + 1.5 × 8,192 + 2 × 512 + 8 / 8 × 1,024, and 4.5 × 512 for each copy, without graphs for prefill.
    const left = (count: number) => 512 + 12_288 + 1024 + 1024 + 4.5 * 512 * count;
    assert.equal(copies('0.5.12', 8), Number((1 - left(8) / 81_559).toFixed(3)));
    assert.equal(copies('0.5.12', 2), Number((1 - left(2) / 81_559).toFixed(3)));
    assert.equal(copies('0.4.8', 8), Number((1 - (13.5 + 4) / (81_559 / 1024)).toFixed(3)));
    assert.equal(copies('0.4.6', 8), copies('0.4.6', 1));
  });

  it('is smaller for models with a vision tower, the more so the larger it is', () => {
    const size = [81_559, 1, 1] as const;
    const withTower = (vision_config: object): number =>
      shareIn('0.5.12', size, null, { ...smallLlama, extra: { vision_config } });
    const text = shareIn('0.5.12', size, null);
    const usual = withTower({});
    const large = withTower({ num_hidden_layers: 45, hidden_size: 3200 });
    assert.ok(Math.abs(usual - 0.95 * text) < 0.001);
    assert.ok(Math.abs(large - 0.95 * 0.8 * text) < 0.001);
  });
});
