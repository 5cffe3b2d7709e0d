import assert from 'node:assert/strict';
import { defaultLimits } from '../../../src/core/yaml/limits';
import { parseYaml } from '../../../src/core/yaml/parse';

describe('a text with a mistake in each of its lines', () => {
  it('has so many told, and no more: each is looked up in the text', () => {
    const text = Array.from({ length: 2000 }, () => '{"stage": 3, "offload": false}').join('\n');
    const { problems } = parseYaml(text);
    assert.equal(problems.length, defaultLimits.problems);
    assert.match(problems[0]?.message ?? '', /^YAML: /);
  });
});
