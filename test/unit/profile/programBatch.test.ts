import assert from 'node:assert/strict';
import fc from 'fast-check';
import { batchPlace, largestBatch, withBatch } from '../../../src/profile/program/batch';
import { commandText, programWords, pythonNamed } from '../../../src/profile/program/words';
import { tries } from '../../tries';

describe('the batch size in a command', () => {
  const cases: readonly (readonly [string, string | null])[] = [
    ['python train.py --batch_size 8 --lr 1', 'python train.py --batch_size 3 --lr 1'],
    ['python train.py --batch-size=8', 'python train.py --batch-size=3'],
    [
      'torchrun a.py --per_device_train_batch_size 8 --per_device_eval_batch_size 8',
      'torchrun a.py --per_device_train_batch_size 3 --per_device_eval_batch_size 8',
    ],
    ['python train.py data.batch_size=8', 'python train.py data.batch_size=3'],
    ['tune run x batch_size=2 seed=1', 'tune run x batch_size=3 seed=1'],
    ['python train.py -b {batch}', 'python train.py -b 3'],
    ['python train.py --batch_size 8 --train_batch_size 8', null],
    ['python train.py --batch_sizes 8', null],
    ['python train.py --lr 8', null],
  ];
  for (const [before, after] of cases) {
    it(`is ${after === null ? 'not known' : 'found'} in ${before}`, () => {
      const command = before.split(' ');
      const place = batchPlace(command);
      assert.equal(place && withBatch(command, place, 3).join(' '), after);
    });
  }
});

describe('the largest batch', () => {
  it('is the largest that fits a line, in at most six runs', async () => {
    const amounts = fc.record({
      fixed: fc.integer({ min: 0, max: 1e10 }),
      each: fc.integer({ min: 1e6, max: 1e9 }),
      first: fc.integer({ min: 1, max: 64 }),
    });
    await fc.assert(
      fc.asyncProperty(amounts, async ({ fixed, each, first }) => {
        const room = 24e9;
        const found = await largestBatch(first, room, batch => Promise.resolve(fixed + each * batch));
        const largest = Math.floor((room - fixed) / each);
        assert.ok(found.tries.length <= 6);
        assert.equal(found.batch, largest >= 1 ? largest : null);
        assert.ok(found.isSure);
      }),
      { numRuns: tries(200) },
    );
  });

  it('is null where not even one row fits', async () => {
    const found = await largestBatch(8, 10, batch => Promise.resolve(100 * batch));
    assert.equal(found.batch, null);
    assert.ok(found.tries.length <= 6);
  });
});

describe('the words of headroom profile', () => {
  const split = (line: string): ReturnType<typeof programWords> => {
    const argv = ['node', 'cli', 'profile', ...line.split(' ')];
    const operands = line.split(' ').filter(word => word !== '--' && word !== '--json');
    return programWords(operands, argv);
  };

  it('have a file, a command after --, or both', () => {
    assert.deepEqual(split('a.yaml'), { file: 'a.yaml', command: [] });
    assert.deepEqual(split('--json -- a.yaml'), { file: 'a.yaml', command: [] });
    assert.deepEqual(split('-- python train.py'), { file: null, command: ['python', 'train.py'] });
    assert.deepEqual(split('a.yaml -- python t.py'), { file: 'a.yaml', command: ['python', 't.py'] });
  });

  it('name a Python only by its path', () => {
    assert.equal(pythonNamed(['.venv/bin/python3.11', 't.py']), '.venv/bin/python3.11');
    assert.equal(pythonNamed(['A=1', './env/bin/python', 't.py']), './env/bin/python');
    assert.equal(pythonNamed(['python', 't.py']), null);
    assert.equal(pythonNamed(['./train.sh']), null);
  });

  it('are shown as a shell takes them', () => {
    assert.equal(commandText(['python', 'a b.py', "it's"]), String.raw`python 'a b.py' 'it'\''s'`);
  });
});
