import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { unframed } from '../../../src/core/text/frame';
import { framings } from '../../eval/pasted/frames';
import { differing, logOutputs, telemetryOutputs } from '../../eval/pasted/readings';
import type { Recording } from '../../eval/telemetry/recording';
import { tries } from '../../tries';

const RECORDINGS = 'test/fixtures/telemetry/recordings';
const fileOf = (file: string): string => readFileSync(join(RECORDINGS, file), 'utf8');
const index = fileOf('INDEX.jsonl')
  .split('\n')
  .filter(line => line !== '')
  .map(line => JSON.parse(line) as Recording);

const OOM = `Traceback (most recent call last):
  File "/work/train.py", line 12, in <module>
    loss.backward()
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of 23.69 GiB of which 1.20 GiB is free. Including non-PyTorch memory, this process has 22.40 GiB memory in use. Of the allocated memory 20.10 GiB is allocated by PyTorch, and 1.80 GiB is reserved by PyTorch but unallocated.
`;
const PROGRESS = `  3%|▎         | 30/1000 [00:12<06:44,  2.40it/s]
{'loss': 1.2345, 'grad_norm': 0.5, 'learning_rate': 2e-05, 'epoch': 0.03}
`;

const outputs = [
  ...telemetryOutputs(index, fileOf),
  ...logOutputs('oom', [{ id: 'oom', text: OOM }]),
  ...logOutputs('progress', [{ id: 'progress', text: PROGRESS }]),
];

describe('framed outputs', function () {
  this.timeout(60_000);

  it('read like plain ones, in any frame', () => {
    const framing = fc.constantFrom(...framings);
    const output = fc.constantFrom(...outputs);
    fc.assert(
      fc.property(framing, output, (frame, one) => assert.deepEqual(differing(frame, [one]), [], frame.name)),
      { numRuns: tries(60) },
    );
  });

  it('read like plain ones, in each frame', () => {
    const few = outputs.filter((_, i) => i % 30 === 0 || i > outputs.length - 3);
    for (const framing of framings) assert.deepEqual(differing(framing, few), [], framing.name);
  });

  it('lose nothing that their program printed', () => {
    for (const text of [
      OOM,
      PROGRESS,
      fileOf('nv-table-4xpro6000-610-one-lost.txt'),
      fileOf('nv-csv-gb10-noheader.csv'),
    ]) {
      assert.equal(unframed(text).trim(), text.trim());
    }
  });

  it('keep numbers, names and signs that only look like a frame', () => {
    const kept = [
      '0, GPU-1, 20\n1, GPU-2, 30\n2, GPU-3, 40\n',
      '0 | model | Linear | 1.2 M\n1 | loss | MSELoss | 0\n',
      'train | loss 1\nvalid | loss 2\ntest | loss 3\n',
      'ERROR: CUDA out of memory\n',
      '| epoch 001 | loss 3\n| epoch 002 | loss 2\n',
      'C:\\new\\folder\\train.log\n',
      '# gpu   pwr\n# Idx     W\n    0    20\n',
      '<?xml version="1.0"?>\n<name>A &amp; B</name>\n',
    ];
    for (const text of kept) assert.equal(unframed(text), text.replace(/^ {2}/, ''), text);
  });

  it('take linear time', () => {
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
