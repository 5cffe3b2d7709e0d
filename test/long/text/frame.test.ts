import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { unframed } from '../../../src/core/text/frame';
import { framings } from '../../eval/pasted/frames';
import { differing, logOutputs, telemetryOutputs } from '../../eval/pasted/readings';
import type { Recording } from '../../eval/telemetry/recording';
import { tries } from '../../tries';
import { OOM, PROGRESS, RECORDINGS } from '../../unit/text/framed';

const fileOf = (file: string): string => readFileSync(join(RECORDINGS, file), 'utf8');
const index = fileOf('INDEX.jsonl')
  .split('\n')
  .filter(line => line !== '')
  .map(line => JSON.parse(line) as Recording);

const outputs = [
  ...telemetryOutputs(index, fileOf),
  ...logOutputs('oom', [{ id: 'oom', text: OOM }]),
  ...logOutputs('progress', [{ id: 'progress', text: PROGRESS }]),
];

describe('any framed output', function () {
  this.timeout(60_000);

  it('reads like a plain one, in any frame', () => {
    const framing = fc.constantFrom(...framings);
    const output = fc.constantFrom(...outputs);
    fc.assert(
      fc.property(framing, output, (frame, one) => assert.deepEqual(differing(frame, [one]), [], frame.name)),
      { numRuns: tries(60) },
    );
  });

  it('reads like a plain one, in each frame', () => {
    const few = outputs.filter((_, i) => i % 30 === 0 || i > outputs.length - 3);
    for (const framing of framings) assert.deepEqual(differing(framing, few), [], framing.name);
  });

  it('takes linear time', () => {
    const pieces = [
      '> ',
      '+',
      '1: ',
      'a | ',
      '[',
      '\\n',
      '&lt;',
      '<pre',
      '\u001b[',
      '2024-01-01 ',
      '(pid=1',
      '"',
      "'\\",
      '{"log":',
    ];
    for (const piece of pieces) {
      const short = piece.repeat(2_000);
      const long = piece.repeat(200_000);
      // No bar on time: a quadratic reader of the long one takes minutes.
      assert.ok(unframed(short).length <= short.length + 1);
      assert.ok(unframed(long).length <= long.length + 1);
    }
  });
});
