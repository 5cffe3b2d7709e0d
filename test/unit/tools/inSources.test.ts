import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { inSources } from '../../../scripts/lib/inSources.mjs';

describe('stacks of failed tests', () => {
  it('name places in sources', () => {
    const stack = inSources(new Error('what failed').stack ?? '');
    const [, line = ''] = /\(?test\/unit\/tools\/inSources\.test\.ts:(\d+):\d+/.exec(stack) ?? [];
    const source = readFileSync('test/unit/tools/inSources.test.ts', 'utf8').split('\n');
    assert.match(source[Number(line) - 1] ?? '', /new Error\('what failed'\)/);
  });

  it('leave a place without a map as it is', () => {
    const text = 'Error: x\n    at file:///nowhere/a.mjs:1:2\n    at node:internal/timers:3:4';
    assert.equal(inSources(text), text);
  });
});
