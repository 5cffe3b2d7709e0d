import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parse } from 'yaml';
import { configs, textOf } from '../../golden/configs';
import { read, runOf } from './support';
import { tries } from '../../tries';

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

  it('is rejected at once if it is an alias bomb', async () => {
    const levels = Array.from(
      { length: 30 },
      (_, i) => `l${i + 1}: &l${i + 1} [${Array(9).fill(`*l${i}`).join(', ')}]`,
    );
    const bomb = ['l0: &l0 x', ...levels, 'fsdp: *l30', 'plugins: *l30', 'lora_target_modules: *l30'].join(
      '\n',
    );
    const text = `base_model: x\nmicro_batch_size: 2\nadapter: lora\n${bomb}\n`;
    await assert.rejects(runOf(text), /0 runs/);
  });

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
      { numRuns: tries(30) },
    );
  });

  it('never makes the reader throw, whatever stands where a value belongs', async () => {
    // Batch scripts are not YAML in the first place.
    const parsable = configs.filter(
      config => /\.(?:ya?ml|json)$/.test(config) && !config.endsWith('traps.yml'),
    );
    const strange = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom('${x}', '{{ x }}', 'auto', 'None', -1, 0, 1e308, '1e400', [null], [{}], {}),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...parsable),
        fc.array(fc.tuple(fc.nat(), strange)),
        async (config, hits) => {
          const tree = parse(textOf(config), { uniqueKeys: false, logLevel: 'silent' }) as unknown;
          for (const [at, value] of hits) put(tree, at, structuredClone(value));
          await read({ [config]: JSON.stringify(tree) });
        },
      ),
      { numRuns: tries(25) },
    );
  });
});

/** Replaces a value of a tree. */
function put(tree: unknown, at: number, value: unknown): void {
  if (typeof tree !== 'object' || tree === null) return;
  const keys = Object.keys(tree);
  const key = keys[at % Math.max(1, keys.length)];
  if (key === undefined) return;
  const held = (tree as Record<string, unknown>)[key];
  if (at % 3 === 0 && typeof held === 'object' && held !== null) put(held, Math.floor(at / 3), value);
  else (tree as Record<string, unknown>)[key] = value;
}
