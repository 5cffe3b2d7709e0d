import assert from 'node:assert/strict';
import { readProgram } from '../../../src/core/python/program';

describe('what a hostile Python program calls with', () => {
  it('stays bounded', () => {
    const deep = `${'('.repeat(5000)}1${')'.repeat(5000)}`;
    const chain = Array.from({ length: 60 }, (_, i) => `a${i + 1} = a${i} + a${i}`).join('\n');
    const texts = [deep, `f(${deep})`, `a0 = "x"\n${chain}\nf(a=a60)`, 'def f(x):\n  return f(x)\nf(f(1))'];
    for (const text of texts) assert.doesNotThrow(() => readProgram(text).calls(() => true));
  });

  it('is nothing among thousands of mistakes', () => {
    const mistakes = 'x = ((1_0 lambda: {\n'.repeat(5000);
    assert.deepEqual(
      readProgram(`from lib import f\nf(1)\n${mistakes}`).calls(name => name === 'f'),
      [],
    );
  });
});
