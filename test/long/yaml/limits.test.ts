import assert from 'node:assert/strict';
import { defaultLimits } from '../../../src/core/yaml/limits';
import { parseYaml } from '../../../src/core/yaml/parse';
import { leastCpuMs } from '../../cpuTime';

/** Read in some 150 ms; with an error for each mistake it takes 1.3 s. */
const CHARACTERS = 100_000;
const MOST_MS = 600;

describe('a text with a mistake in each of its lines', () => {
  it('reports a limited number of them: each is looked up in the text', () => {
    const text = Array.from({ length: 2000 }, () => '{"stage": 3, "offload": false}').join('\n');
    const { problems } = parseYaml(text);
    assert.equal(problems.length, defaultLimits.problems);
    assert.match(problems[0]?.message ?? '', /^YAML: /);
  });

  it('takes a time that grows with the text, whatever the mistake', () => {
    for (const before of ['a: ', 'a: [', 'a: {']) {
      for (const piece of ['"', "''", ': ', '*a ']) {
        const text = before + piece.repeat(Math.ceil(CHARACTERS / piece.length));
        let problems: readonly unknown[] = [];
        const ms = leastCpuMs(MOST_MS, () => ({ problems } = parseYaml(text)));
        assert.ok(ms < MOST_MS, `${Math.round(ms)} ms on ${before} and a row of ${piece}`);
        assert.ok(problems.length <= defaultLimits.problems + 1);
      }
    }
  });
});
