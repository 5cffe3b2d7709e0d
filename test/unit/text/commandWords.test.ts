import assert from 'node:assert/strict';
import fc from 'fast-check';
import { commandWords } from '../../../src/core/text/commandWords';
import { commandText } from '../../../src/profile/program/words';
import { tries } from '../../tries';

describe('the words of a typed command', () => {
  const cases: readonly (readonly [string, readonly string[] | null])[] = [
    ['python train.py --lr 1', ['python', 'train.py', '--lr', '1']],
    ['python train.py \\\n  --name "a b" x\\ y', ['python', 'train.py', '--name', 'a b', 'x y']],
    ["python t.py --re '$HOME' ''", ['python', 't.py', '--re', '$HOME', '']],
    ['python t.py | tee log', null],
    ['A=1; python t.py', null],
    ['python t.py "$DATA"', null],
    ['python t.py "open', null],
    ['  ', null],
  ];
  for (const [text, words] of cases) {
    it(`of ${JSON.stringify(text)}`, () => assert.deepEqual(commandWords(text), words));
  }

  it('are the words that a shell would show', () => {
    const word = fc.string({ unit: 'grapheme', maxLength: 8 }).filter(text => !/[\r\n]/.test(text));
    const some = fc.array(word, { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(some, words => assert.deepEqual(commandWords(commandText(words)), words)),
      { numRuns: tries(200) },
    );
  });
});
