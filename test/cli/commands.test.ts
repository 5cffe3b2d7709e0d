import assert from 'node:assert/strict';
import { cpSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { axolotl } from '../unit/core/support';
import { file, folder, headroom, inTemporaryFolder } from './headroom';

inTemporaryFolder();

describe('headroom check', () => {
  it('exits with the verdict', () => {
    file('small.yaml', axolotl({ base_model: 'TinyLlama/TinyLlama-1.1B-Chat-v1.0', micro_batch_size: 1 }));
    file('large.yaml', axolotl());
    assert.equal(headroom('check', 'small.yaml', '--gpu', 'A100 80GB').code, 0);
    assert.equal(headroom('check', 'large.yaml', '--gpu', '24GB').code, 1);
    assert.equal(headroom('check', 'large.yaml').code, 2);
    assert.equal(headroom('check', 'nowhere.yaml').code, 3);
  });

  it('prints only JSON on stdout, always the same', () => {
    file('a.yaml', axolotl());
    const [one, two] = [
      headroom('check', '.', '--gpu', '24GB', '--json'),
      headroom('check', '.', '--gpu', '24GB', '--json'),
    ];
    assert.equal(one.out, two.out);
    assert.equal((JSON.parse(one.out) as { schema: string }).schema, 'headroom/1');
    assert.equal(one.err, '');
  });

  it('reports many files the same way and in order, with threads', () => {
    const names = Array.from({ length: 330 }, (_, i) => `${String(i).padStart(3, '0')}.yaml`);
    names.forEach((name, i) => file(name, axolotl({ micro_batch_size: 1 + (i % 8) })));
    file('200.yaml', 'micro_batch_size: [\n');
    const all = headroom('check', '.', '--gpu', '24GB');
    assert.equal(all.code, 1);
    const heads = all.out.split('\n').filter(line => /^\d+\.yaml /.test(line));
    assert.deepEqual(
      heads.map(line => line.slice(0, 8)),
      names.filter(name => name !== '200.yaml'),
    );
    const few = headroom('check', ...names.slice(96, 104), '--gpu', '24GB', '--quiet');
    assert.ok(all.out.includes(few.out));
  });

  it('reports nothing for a folder without configs', () => {
    file('compose.yaml', 'services:\n  web:\n    image: nginx\n');
    const { code, err } = headroom('check', '.');
    assert.deepEqual({ code, err }, { code: 0, err: '' });
  });

  it('says how to get a verdict if there is nothing to compare with', () => {
    file('a.yaml', axolotl());
    const { code, out, err } = headroom('check', 'a.yaml');
    assert.equal(code, 2);
    assert.match(out, /≈ [\d.]+ GB per GPU · no GPU chosen/);
    assert.equal(
      err,
      'No target GPU, and none found here. Add --gpu "RTX 4090" or --gpu 24GB to get a verdict.\n',
    );
  });

  it('does not take a file name after -- for an option', () => {
    const { code, err } = headroom('check', '--', '--gpu');
    assert.equal(code, 3);
    assert.match(err, /--gpu: no such file/);
  });
});

describe('the steps of the utilization guide', () => {
  const EXAMPLE = resolve('media/walkthrough/examples/utilisation');

  it('fill the card with the batch first, and state both learning-rate rules', () => {
    cpSync(EXAMPLE, folder(), { recursive: true });
    const asked = ['--gpu-memory', '24', '--goal', 'fill', '--target-effective-batch', '8-64'];
    const { code, out } = headroom('optimize', 'emberformer_small.yaml', ...asked);
    assert.equal(code, 0);
    assert.match(out, /^1\. train\.batch_size 8 → 64$/m);
    assert.match(out, /effective batch 8 → 64/);
    assert.match(out, /0\.00283 by the square root \(Adam.*0\.008 by the linear rule \(SGD/);
  });
});

describe('headroom optimize', () => {
  it('says what blocks a dry run before it, and plans from the computed estimate', () => {
    file('a.yaml', axolotl({ optimizer: 'paged_adamw_8bit' }));
    const plain = headroom('optimize', 'a.yaml', '--gpu', 'RTX 4090');
    const profiled = headroom('optimize', 'a.yaml', '--gpu', 'RTX 4090', '--profile', '--python', 'nowhere');
    assert.deepEqual([profiled.code, profiled.out], [plain.code, plain.out]);
    assert.match(profiled.err, /can't profile: .*The estimate stays/);
  });

  it('prints a diff without changes, applies with a backup, and undoes', () => {
    const before = axolotl().replaceAll('\n', '\r\n');
    file('a.yaml', before);
    const dry = headroom('optimize', 'a.yaml', '--gpu-memory', '24');
    assert.equal(dry.code, 0, dry.err);
    assert.match(dry.out, /\n@@ /);
    assert.equal(readFileSync(join(folder(), 'a.yaml'), 'utf8'), before);
    assert.equal(headroom('optimize', '--config-path', 'a.yaml', '--gpu-memory', '24', '--apply').code, 0);
    const after = readFileSync(join(folder(), 'a.yaml'), 'utf8');
    assert.notEqual(after, before);
    assert.equal(after.split('\r\n').length, after.split('\n').length);
    assert.equal(readFileSync(join(folder(), 'a.yaml.backup'), 'utf8'), before);
    assert.equal(headroom('check', 'a.yaml', '--gpu', '24GB').code, 0);
    assert.equal(headroom('optimize', 'a.yaml', '--undo').code, 0);
    assert.equal(readFileSync(join(folder(), 'a.yaml'), 'utf8'), before);
  });

  it("refuses to undo over somebody else's edit", () => {
    file('a.yaml', axolotl());
    headroom('optimize', 'a.yaml', '--gpu-memory', '24', '--apply');
    const edited = `${readFileSync(join(folder(), 'a.yaml'), 'utf8')}# mine\n`;
    file('a.yaml', edited);
    const { code, err } = headroom('optimize', 'a.yaml', '--undo');
    assert.equal(code, 3);
    assert.match(err, /was edited after the plan was applied/);
    assert.equal(readFileSync(join(folder(), 'a.yaml'), 'utf8'), edited);
  });

  it('requires a GPU, and a batch that can be divided', () => {
    file('a.yaml', axolotl());
    assert.match(headroom('optimize', 'a.yaml').err, /No target GPU, and none found here/);
    const { code, err } = headroom(
      'optimize',
      'a.yaml',
      '--gpu',
      '24GB',
      '--gpus',
      '3',
      '--target-effective-batch',
      '256',
    );
    assert.equal(code, 3);
    assert.match(err, /255 or 258/);
  });

  it('reaches the requested batch', () => {
    file('a.yaml', axolotl());
    const { out } = headroom(
      'optimize',
      'a.yaml',
      '--gpu',
      '24GB',
      '--target-effective-batch',
      '64',
      '--json',
    );
    const { plans } = JSON.parse(out) as { plans: { effect: string }[] };
    assert.ok(plans.length > 0);
    assert.match(plans[0]!.effect, /64/);
  });
});

describe('headroom explain and gpus', () => {
  it('explains or checks one of several runs', () => {
    const stage = (batch: number) => axolotl({ micro_batch_size: batch }).trimEnd();
    file('a.yaml', `${stage(1)}\n---\n${stage(2)}\n`);
    const both = headroom('explain', 'a.yaml', '--gpu', '24GB').out;
    const one = headroom('explain', 'a.yaml', '--gpu', '24GB', '--run', 'document 2');
    assert.match(both, /document 1[^]*document 2/);
    assert.match(one.out, /document 2/);
    assert.doesNotMatch(one.out, /document 1/);
    assert.match(headroom('check', 'a.yaml', '--gpu', '24GB', '--run', 'document 1').out, /1 run:/);
    for (const verb of ['explain', 'check']) {
      const { code, err } = headroom(verb, 'a.yaml', '--gpu', '24GB', '--run', 'x');
      assert.equal(code, 3);
      assert.match(err, /^a\.yaml: no run named x\. It has document 1, document 2\.$/m);
    }
  });

  it('explains all runs of a script, whether it lies over a program or is the config', () => {
    const load = 'AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B")';
    const args = 'TrainingArguments(output_dir="o", per_device_train_batch_size=2)';
    file(
      'sft.py',
      `from transformers import AutoModelForCausalLM, Trainer, TrainingArguments\nTrainer(model=${load}, args=${args}).train()\n`,
    );
    const flags =
      '--model_name_or_path Qwen/Qwen3-8B --per_device_train_batch_size 4 --save_total_limit 1 --output_dir o';
    file('run.sh', `#!/bin/bash\npython sft.py\npython elsewhere.py ${flags}\n`);
    const { out } = headroom('explain', 'run.sh', '--gpu', '24GB');
    assert.match(out, /Qwen2\.5-0\.5B[^]*Qwen3-8B/);
  });

  it('explains the run and what is missing', () => {
    file('a.yaml', axolotl());
    const { code, out } = headroom('explain', 'a.yaml', '--gpu', '24GB');
    assert.equal(code, 1);
    assert.match(out, /\| micro-batch size .*\| line 8/);
  });

  it('finds no GPU on a machine without one', () => {
    const { code, out } = headroom('gpus');
    assert.equal(code, 0);
    assert.match(out, /No GPU found on this machine|\| GPU/);
  });
});
