import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ArrayOutput } from '../../../src/jobs/shards/arrayOutput';
import { lastProgress } from '../../../src/jobs/shards/progress';

const line = (part: number, rows: number): string =>
  `{"event":"embed-progress","part":${part},"parts":4,"rows":${rows},"rowsTotal":100,"rowsPerS":5,"tokensPerS":9}\n`;

describe('jobs: the combined output of an array', () => {
  it('is split by part, in any pieces, without other text', async () => {
    const text = `${line(1, 10)}Könnte ein Satz sein\n${line(2, 20)}${line(1, 30)}{"event":"embed-`;
    const all = new TextEncoder().encode(text);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), async sizes => {
        let turn = 0;
        const output = new ArrayOutput(offset =>
          Promise.resolve(all.slice(offset, offset + (sizes[turn++ % sizes.length] ?? 1))),
        );
        let [one, two] = ['', ''];
        for (let left = all.length; left > 0; left--) {
          const pieces = await Promise.all([output.read(1, one.length), output.read(2, two.length)]);
          const [first = '', second = ''] = pieces.map(piece => new TextDecoder().decode(piece));
          one += first;
          two += second;
        }
        assert.deepEqual([one, two], [line(1, 10) + line(1, 30), line(2, 20)]);
        assert.equal(lastProgress(one)?.rows, 30);
      }),
    );
  });
});
