import assert from 'node:assert/strict';
import fc from 'fast-check';
import { explainOom } from '../../../src/core/output/oom/explain';
import { ProgressReader, readProgress } from '../../../src/core/output/progress/reader';
import { tries } from '../../tries';

const MESSAGE =
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 1 has a total capacity of 24.00 GiB of which 512.00 MiB is free. Including non-PyTorch memory, this process has 22.00 GiB memory in use. Of the allocated memory 21.00 GiB is allocated by PyTorch, and 256.00 MiB is reserved by PyTorch but unallocated.';

const OUTPUT = [
  '\u001b[36m(TaskRunner pid=32081)\u001b[0m  3%|▎         | 30/1000 [01:14<40:45,  2.52s/it]\r',
  "  3%|▎    | 31/1000 [01:16<40:40,  2.52s/it]{'loss': 1.25, 'grad_norm': 0.5,\n 'learning_rate': 1e-05, 'epoch': 0.16}\r\n",
  '[2024-08-21 10:19:42] iteration        4/   25000 | elapsed time per iteration (ms): 270125.4 | lm loss: 2.12E+00 |\n',
  'Epoch 2/5\n469/469 ━━━━━━━━━━ 2s 3ms/step - accuracy: 0.9662 - loss: 0.1177\n',
].join('');

/** Words that outputs consist of, and text that is hard for regular expressions. */
const pieces = fc.array(
  fc.oneof(
    // Any code units; fast-check's own binary unit takes a second to prepare.
    fc.array(fc.integer({ min: 0, max: 0xffff })).map(units => String.fromCharCode(...units)),
    fc.constantFrom(
      'loss: 1 ',
      "{'loss': ",
      'iteration 1/ 2 |',
      '99%|█',
      '| 1/2 [00:01<00:01, ',
      '\r',
      '\n',
      '\u001b[31m',
      '\u001b]0;',
      '[rank0]: ',
      '0: ',
      'Epoch [1][1/2] ',
      'lr: 1e-5 ',
      'Tried to allocate ',
      '1.5 GiB ',
      'Process 1 has ',
      'nan',
      '━━━',
      'eta: 1 day, ',
      '}',
      '","num_updates": ',
      'step 5 ',
    ),
  ),
  { maxLength: 60 },
);

describe('any output', () => {
  it('is read without an error, and alike in any pieces', () => {
    const check = (parts: readonly string[]): void => {
      const whole = new ProgressReader();
      whole.push(parts.join(''));
      const pieced = new ProgressReader();
      for (const part of parts) pieced.push(part);
      assert.deepEqual(pieced.end(), whole.end());
      explainOom(parts.join(''));
    };
    fc.assert(fc.property(pieces, check), { numRuns: tries(50) });
  });

  it('of real lines is alike, cut anywhere', () => {
    const whole = readProgress(OUTPUT);
    assert.equal(whole.states.at(-1)?.loss, 0.1177);
    const check = (cuts: readonly number[]): void => {
      const reader = new ProgressReader();
      const ends = [...cuts, OUTPUT.length].sort((a, b) => a - b);
      ends.forEach((end, at) => reader.push(OUTPUT.slice(ends[at - 1] ?? 0, end)));
      assert.deepEqual(reader.end(), whole);
    };
    fc.assert(fc.property(fc.array(fc.nat(OUTPUT.length), { maxLength: 8 }), check));
  });

  it('without a line break is alike in any pieces', () => {
    const text = 'loss: 1 step: 2 '.repeat(2_500);
    const check = (size: number): void => {
      const reader = new ProgressReader();
      for (let at = 0; at < text.length; at += size) reader.push(text.slice(at, at + size));
      assert.deepEqual(reader.end(), readProgress(text));
    };
    fc.assert(fc.property(fc.integer({ min: 500, max: 50_000 }), check), { numRuns: 4 });
  });

  it('tells of memory wherever a line is wrapped', () => {
    const whole = explainOom(MESSAGE);
    const check = (width: number, indent: string, prefix: string): void => {
      const lines = MESSAGE.match(new RegExp(`.{1,${width}}`, 'g')) ?? [];
      assert.deepEqual(explainOom(lines.map(line => prefix + indent + line).join('\n')), whole);
    };
    const prefixes = fc.constantFrom('', '2025-11-27T11:15:27.927Z ', '(EngineCore pid=194) ');
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 200 }), fc.constantFrom('', '  ', '\t'), prefixes, check),
    );
  });
});
