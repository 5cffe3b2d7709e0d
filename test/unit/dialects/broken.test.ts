import assert from 'node:assert/strict';
import fc from 'fast-check';
import { configs, textOf } from '../../golden/configs';
import { read, runOf } from './support';

describe('a file that is broken while being typed', () => {
  const cases: [title: string, tail: string][] = [
    ['an unclosed list', 'lora_target_modules: [q_proj,\n'],
    ['an unclosed quote', 'output_dir: "./out\n'],
    ['a tab', '\tx: 1\n'],
    ['a key without a colon', 'gradient_check'],
    ['a merge conflict', '<<<<<<< HEAD\nlora_r: 8\n=======\nlora_r: 16\n>>>>>>> other\n'],
    ['a template', '{% if x %}\nlora_r: {{ r }}\n{% endif %}\n'],
  ];
  for (const [title, tail] of cases) {
    it(`still says what can be read above ${title}`, async () => {
      const { quantities } = await runOf(`base_model: x\nsequence_len: 512\nmicro_batch_size: 2\n${tail}`);
      assert.equal(quantities.microBatchSize.value, 2);
      assert.equal(quantities.model.value, 'x');
    });
  }

  it('never makes the reader throw, wherever it is cut or hit', async () => {
    const small = configs.filter(config => textOf(config).length < 2000);
    const noise = fc.constantFrom(
      '\t',
      '{',
      '[',
      '"',
      '&a ',
      '*a',
      '- ',
      ': ',
      '!!x ',
      '\n---\n',
      '${',
      '\u0000',
      '%',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...small),
        fc.nat(2000),
        fc.nat(2000),
        noise,
        async (config, cut, at, hit) => {
          const whole = textOf(config).slice(0, cut);
          await read({ [config]: whole.slice(0, at) + hit + whole.slice(at) });
        },
      ),
      { numRuns: 200 },
    );
  });
});
