// How long the data of a config are: counted from the palette, then seen in lens, hover and problems.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inVSCode } from './window.mjs';

const CONFIG = `base_model: meta-llama/Llama-3.1-8B
adapter: lora
lora_r: 16
lora_alpha: 32
lora_target_linear: true
sequence_len: 8192
micro_batch_size: 4
gradient_accumulation_steps: 1
gradient_checkpointing: true
bf16: true
datasets:
  - path: data/train.jsonl
    type: completion
`;

/** Rows of 40 to 1,240 words, most of them short. */
function rows() {
  const words = i => 40 + Math.floor(1200 * ((i % 97) / 97) ** 4);
  return Array.from({ length: 500 }, (_, i) => JSON.stringify({ text: 'word '.repeat(words(i)) })).join('\n');
}

function workspace(folder) {
  mkdirSync(join(folder, 'data'));
  writeFileSync(join(folder, 'data/train.jsonl'), `${rows()}\n`);
  writeFileSync(join(folder, 'lora.yaml'), CONFIG);
}

inVSCode('lengths', { workspace }, test => {
  test('are counted by a command', async vs => {
    await vs.open('lora.yaml');
    await vs.codeLenses(/≈ \d+\.\d GB/);
    await vs.command('Headroom: Measure Data Lengths');
    const lenses = await vs.codeLenses(/your data ≈ \d+\.\d GB/);
    assert.ok(lenses.length > 0);
  });

  test(
    'are a picture and a sentence in the hover',
    async vs => {
      const text = await vs.hover('sequence_len', /500 rows of data\/train\.jsonl/);
      assert.match(text, /No row is longer than [\d,]+ tokens, and the longest batch decides/);
      assert.match(text, /Measure Data Lengths/);
    },
    { keepMouse: true },
  );

  test('leave a finding at the limit', async vs => {
    await vs.unhover();
    const problems = await vs.problems(/limit-above-data/);
    assert.ok(problems.some(problem => /The limit is 8,192 tokens/.test(problem)));
  });
});
