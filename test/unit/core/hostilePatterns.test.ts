import assert from 'node:assert/strict';
import { filePattern } from '../../../src/core/spec/filePattern';

describe('core: patterns of files', () => {
  it('takes those that people write', () => {
    for (const [source, text, meant] of [
      [String.raw`.*\.(q|k)_proj`, 'model.q_proj', true],
      ['^(?!.*visual).*(?:q_proj|k_proj)$', 'visual.q_proj', false],
      [
        '(?:.*?(?:language|text).*?(?:self_attn|attn).*?(?:q_proj|k_proj)).*?',
        'language.self_attn.q_proj',
        true,
      ],
      [String.raw`model.layers.(\d+).(mlp|attn).x`, 'model.layers.12.mlp.x', true],
      [String.raw`^(.*\.)?layers$`, 'a.layers', true],
      ['[)*(]+x', '((x', true],
    ] as const) {
      assert.equal(filePattern(source)?.test(text), meant, source);
    }
  });

  it('takes none whose repeats hold repeats or choices, nor what is not a pattern', () => {
    for (const source of [
      String.raw`(\w|\w)+!`,
      '(a|a)*$',
      '((a+))+$',
      '(a?){40}b',
      '(?:a*){2,}b',
      String.raw`((((\w{0,200}){0,200}){0,200}){0,200})!`,
      String.raw`(a+)\1`,
      '((',
      'a))',
      'a{5000}',
      'a'.repeat(3000),
    ]) {
      assert.equal(filePattern(source), null, source);
    }
  });

  it('looks at the beginning of a text that is too long for it', () => {
    const pattern = filePattern('a+a+a+$');
    assert.equal(pattern?.test('a'.repeat(100_000)), true);
    assert.equal(pattern.test(`${'a'.repeat(100)}!`), false);
  });
});
