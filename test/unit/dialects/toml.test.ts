import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { couldBeRead } from '../../../src/core/dialects/couldBe';
import { keysAt } from '../../../src/core/dialects/keyCompletion';
import { keyNoteAt } from '../../../src/core/dialects/keyNotes';
import { editsFor } from '../../../src/core/dialects/write';
import { ignoreEdit } from '../../../src/core/rules/ignore';
import { applied, read, runOf } from './support';

const fixture = (name: string): string => readFileSync(join('test/fixtures/configs', name), 'utf8');

const TITAN = fixture('headroom/torchtitan/qwen3.toml');
const KOHYA = fixture('headroom/sd-scripts/flat.toml');

/** Files of package managers and tools, as their projects have them: words of training are no config. */
const OTHERS: Readonly<Record<string, string>> = {
  'pyproject.toml': `[project]
name = "my-model"
version = "0.1.0"
dependencies = ["torch>=2.4", "transformers", "accelerate", "deepspeed==0.16.2"]

[project.scripts]
train = "my_model.train:main"

[project.optional-dependencies]
train = ["wandb", "peft"]

[build-system]
requires = ["setuptools>=61"]

[tool.ruff]
line-length = 120
[tool.uv.sources]
torch = { index = "pytorch-cu124" }
[tool.pytest.ini_options]
markers = ["gpu: needs a GPU", "slow"]
`,
  'Cargo.toml': `[package]
name = "trainer"
edition = "2021"

[dependencies]
tokenizers = { version = "0.20", features = ["onig"] }
candle-core = "0.8"

[profile.release]
lto = true
opt-level = 3
`,
  'netlify.toml': '[build]\n  command = "npm run build"\n  publish = "dist"\n[[redirects]]\n  from = "/*"\n',
  'rustfmt.toml': 'max_width = 100\nuse_small_heuristics = "Max"\n',
};

describe('TOML configs', () => {
  it('are read like YAML ones: values, origins and lines', async () => {
    const run = await runOf(TITAN, 'train.toml');
    const { microBatchSize, seqLen, model, gradientCheckpointing } = run.quantities;
    assert.equal(microBatchSize.value, 2);
    assert.deepEqual(
      [seqLen, gradientCheckpointing].map(({ value, origin }) => [
        value,
        'at' in origin ? origin.at.path : null,
        'at' in origin ? origin.at.line : null,
      ]),
      [
        [4096, 'training.seq_len', 17],
        [true, 'activation_checkpoint.mode', 28],
      ],
    );
    assert.equal(model.value, 'Qwen/Qwen3-8B');
  });

  it('are edited where they stand', async () => {
    const files = { 'train.toml': TITAN };
    const run = await runOf(TITAN, 'train.toml');
    const one = editsFor(run, [{ quantity: 'seqLen', to: 2048 }]);
    assert.ok(one.ok);
    const after = applied(files, one.edits)['train.toml'] ?? '';
    assert.equal(after, TITAN.replace('seq_len = 4096 #', 'seq_len = 2048 #'));
  });

  it('name the files of their data sets', async () => {
    const { runs, dependencies } = await read({
      'a.toml': KOHYA,
      'dataset.toml': fixture('headroom/sd-scripts/dataset.toml'),
    });
    const { microBatchSize, imageSize, method, lora } = runs[0]?.quantities ?? assert.fail();
    assert.deepEqual([microBatchSize.value, imageSize.value, method.value], [4, [768, 512], 'lora']);
    assert.deepEqual(lora.value?.r, 64);
    assert.ok(dependencies.includes('dataset.toml'));
  });

  it('are named by scripts', async () => {
    const script = `#!/bin/bash
accelerate launch --num_processes 2 train_network.py --config_file a.toml --train_batch_size 3
`;
    const { runs } = await read({
      'run.sh': script,
      'a.toml': fixture('headroom/sd-scripts/lora.toml'),
    });
    const { microBatchSize, optimizer } = runs[0]?.quantities ?? assert.fail();
    assert.deepEqual([microBatchSize.value, optimizer.value], [3, 'AdamW8bit']);
    const titan = await read({
      'run.sh':
        '#!/bin/bash\ntorchrun --nproc_per_node=8 -m torchtitan.train --job.config_file t.toml --training.steps 5\n',
      't.toml': TITAN,
    });
    assert.equal(titan.runs[0]?.quantities.seqLen.value, 4096);
    assert.equal(titan.runs[0].quantities.gpus.value, 8);
  });

  it('have notes, completions and comments to ignore rules', async () => {
    const offset = TITAN.indexOf('seq_len');
    assert.match(keyNoteAt('torchtitan', TITAN, offset)?.text ?? '', /Tokens of a row/);
    const typed = TITAN.replace('[parallelism]\n', '[parallelism]\ncon\n');
    const run = await runOf(TITAN, 'train.toml');
    const offered = keysAt(run, typed, typed.indexOf('\ncon\n') + 4);
    assert.ok(offered);
    assert.ok(offered.keys.some(({ name }) => name === 'context_parallel_degree'));
    assert.equal(offered.separator, ' = ');
    const ignored = ignoreEdit({ path: 'train.toml', text: TITAN }, { rule: 'x', line: 15 }, 'line');
    assert.equal(ignored?.text, ' # headroom: ignore[x]');
  });

  it('are still read around a line that is not TOML', async () => {
    const { runs, yaml } = await read({ 'a.toml': TITAN.replace('lr = 3e-4', 'lr = ') });
    assert.equal(runs[0]?.quantities.microBatchSize.value, 2);
    assert.deepEqual(
      yaml.problems.map(({ code }) => code),
      ['syntax'],
    );
  });

  for (const [name, text] of Object.entries(OTHERS)) {
    it(`are not ${name}, which costs a scan of its keys`, async () => {
      assert.equal(couldBeRead(text), false);
      const { dialect, runs } = await read({ [name]: text });
      assert.deepEqual([dialect, runs], [null, []]);
    });
  }
});
