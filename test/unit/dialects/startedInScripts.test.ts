import assert from 'node:assert/strict';
import { scriptOf } from '../../../src/core/dialects/command/shell';
import { whole } from '../../../src/core/dialects/command/located';

const lines = (script: string, which: 'always' | 'perhaps' = 'always'): string[] =>
  scriptOf(whole(script), new Map())[which].map(words => words.map(({ text }) => text).join(' '));

describe('what a script starts', () => {
  it('of texts that eval joins are a command', () => {
    const script = 'CMD="serve m \\\n  --a 1"\nCMD="$CMD --b $N"\n';
    assert.deepEqual(lines(`N=2\nP="CUDA_VISIBLE_DEVICES=0 X=1"\n${script}eval "$P $CMD"`), [
      'CUDA_VISIBLE_DEVICES=0 serve m --a 1 --b 2',
    ]);
    assert.deepEqual(lines(`N=2\nP=\n${script}eval "$P $CMD" > log`), ['serve m --a 1 --b 2 > log']);
    assert.deepEqual(lines('P=CUDA_VISIBLE_DEVICES=0\neval "$P" serve'), ['CUDA_VISIBLE_DEVICES=0 serve']);
  });

  it('is also the command of a condition, and the function that one calls', () => {
    assert.deepEqual(lines('if ! serve m --a 1; then\n  exit 1\nfi'), ['serve m --a 1']);
    const loop = 'go() {\n  serve m --a $1\n}\nwhile true; do\n  if go 2; then break; fi\ndone';
    assert.deepEqual(lines(loop), ['true']);
    assert.deepEqual(lines(loop, 'perhaps'), ['serve m --a 2', 'break']);
    assert.deepEqual(lines('if [ -z "$A" ] && [[ $B ]]; then\n  x\nfi'), []);
  });
});
