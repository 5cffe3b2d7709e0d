// Configs without a known framework: a generic reading, and the file that makes a dialect of it.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inVSCode } from './window';

const CONFIG = `model:
  base: NousResearch/Meta-Llama-3-8B
  load_in_4bit: true
  lora: {r: 16, alpha: 32}
train:
  batch_size: 1
  epochs: 3
  lr: 2.0e-4
  optimizer: adamw
  bf16: true
  gradient_checkpointing: true
data:
  max_length: 512
`;

const DIALECT = `id: mine
recognise:
  strong: [engine.bs]
quantities:
  microBatchSize:
    keys: engine.bs
    scope: everywhere
  optimiser: { default: adamw, source: train.py }
`;

function workspace(folder: string) {
  mkdirSync(join(folder, '.headroom/dialects'), { recursive: true });
  mkdirSync(join(folder, '.vscode'));
  writeFileSync(join(folder, '.vscode/settings.json'), '{"headroom.target.gpu": "RTX 4090"}');
  writeFileSync(join(folder, 'train.yaml'), CONFIG);
  writeFileSync(join(folder, '.headroom/dialects/mine.yaml'), DIALECT);
}

inVSCode('a keys guessed by name', { workspace }, test => {
  test(
    'shows that above the text and on its keys',
    async vs => {
      await vs.open('train.yaml');
      await vs.codeLenses(/keys guessed by name: perhaps fits/);
      const text = await vs.hover('batch_size', /keys guessed by name/);
      assert.match(text, /Guessed from its name: the samples of a step on one GPU/);
    },
    { keepMouse: true },
  );

  test('tells of a broken dialect while another file is open', async vs => {
    await vs.unhover();
    await vs.open('train.yaml');
    await vs.problems(/none of device, node, global/);
  });

  test('shows errors of a dialect in place', async vs => {
    await vs.unhover();
    await vs.open('mine.yaml');
    await vs.problems(/none of device, node, global/);
  });
});
