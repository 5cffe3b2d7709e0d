import assert from 'node:assert/strict';
import { editsFor } from '../../../src/core/dialects/write';
import type { Change } from '../../../src/core/spec/change';
import { changed } from '../../../src/core/dialects/change';
import { applied, read, runOf } from './support';

const base = 'base_model: x\nsequence_len: 512\nadapter: lora\n';

/** The text after the changes, or the refusal. */
async function edited(text: string, ...changes: Change[]): Promise<string> {
  const written = editsFor(await runOf(text), changes);
  if (!written.ok) return `refused: ${written.why}`;
  return applied({ 'config.yaml': text }, written.edits)['config.yaml'] ?? '';
}

describe('edits of a change', () => {
  it('stand beside their kin when the key is new', async () => {
    assert.equal(
      await edited(`${base}micro_batch_size: 4\noptimizer: adamw_torch\n`, { quantity: 'gradAccum', to: 2 }),
      `${base}micro_batch_size: 4\ngradient_accumulation_steps: 2\noptimizer: adamw_torch\n`,
    );
  });

  it('use the key that states the value, an old one too', async () => {
    const trl =
      'model_name_or_path: x\ndataset_name: y\nlearning_rate: 1\nuse_peft: false\nmax_seq_length: 2048\n';
    assert.equal(await edited(trl, { quantity: 'seqLen', to: 1024 }), trl.replace('2048', '1024'));
  });

  it('set several keys where the framework wants several', async () => {
    assert.equal(
      await edited(`${base}load_in_8bit: true\nmicro_batch_size: 4\n`, { quantity: 'method', to: 'qlora' }),
      'base_model: x\nsequence_len: 512\nadapter: qlora\nload_in_8bit: false\nload_in_4bit: true\nmicro_batch_size: 4\n',
    );
  });

  it('list the plugin that brings a kernel, in addition to those that are there', async () => {
    const liger: Change = { quantity: 'loss', to: 'liger' };
    const key = 'liger_fused_linear_cross_entropy: true\n';
    const plugin = 'axolotl.integrations.liger.LigerPlugin';
    assert.equal(await edited(base, liger), base.replace('x\n', `x\n${key}plugins:\n  - ${plugin}\n`));
    const listed = `${base}plugins:\n  - axolotl.integrations.spectrum.SpectrumPlugin\n`;
    assert.equal(await edited(listed, liger), `${listed}  - ${plugin}\n${key}`);
    const run = changed(await runOf(base), [liger]);
    assert.equal(run.quantities.loss.value, 'liger');
  });

  it('go into a section of the dialect', async () => {
    const nested =
      'model: {name: x}\ntraining:\n  per_device_train_batch_size: 8\n  output_dir: o\nseed: 1\n';
    assert.equal(
      await edited(nested, { quantity: 'gradAccum', to: 2 }),
      nested.replace('size: 8\n', 'size: 8\n  gradient_accumulation_steps: 2\n'),
    );
  });

  it('are none where the value is there already', async () => {
    assert.equal(
      await edited(`${base}micro_batch_size: '4'\n`, { quantity: 'microBatchSize', to: 4 }),
      "base_model: x\nsequence_len: 512\nadapter: lora\nmicro_batch_size: '4'\n",
    );
  });

  it('set a key in the config’s own words', async () => {
    assert.equal(
      await edited(`${base}micro_batch_size: 4\n`, { key: 'adapter', to: 'qlora' }),
      `${base.replace('lora', 'qlora')}micro_batch_size: 4\n`,
    );
  });

  it('of one key asked for twice are one, the last', async () => {
    const twice: Change[] = [
      { quantity: 'microBatchSize', to: 2 },
      { quantity: 'microBatchSize', to: 1 },
    ];
    assert.equal(await edited(`${base}micro_batch_size: 4\n`, ...twice), `${base}micro_batch_size: 1\n`);
  });

  it('keep a named file in step that says the same', async () => {
    const config = `${base}micro_batch_size: 4\ngradient_accumulation_steps: 2\ndeepspeed: ds.json\n`;
    const json = '{ "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": "auto" }\n';
    const changes: Change[] = [
      { quantity: 'microBatchSize', to: 1 },
      { quantity: 'gradAccum', to: 8 },
    ];
    const files = { 'config.yaml': config, 'ds.json': json };
    const run = (await read(files)).runs[0] ?? assert.fail();
    const written = editsFor(run, changes);
    assert.ok(written.ok);
    assert.deepEqual(applied(files, written.edits), {
      'config.yaml': config.replace('size: 4', 'size: 1').replace('steps: 2', 'steps: 8'),
      'ds.json': json.replace('gpu": 4', 'gpu": 1'),
    });
  });

  it('leave a named file alone that says something else already', async () => {
    const config = `${base}micro_batch_size: 4\ngradient_accumulation_steps: 2\ndeepspeed: ds.json\n`;
    const files = { 'config.yaml': config, 'ds.json': '{ "train_micro_batch_size_per_gpu": 3 }\n' };
    const written = editsFor((await read(files)).runs[0] ?? assert.fail(), [
      { quantity: 'microBatchSize', to: 1 },
    ]);
    assert.ok(written.ok);
    assert.deepEqual(
      written.edits.map(({ file }) => file),
      ['config.yaml'],
    );
  });

  it('go into the file that owns the value', async () => {
    const files = {
      'sft/c.yaml':
        'model_name_or_path: x\ndataset_name: y\nlearning_rate: 1\npacking: true\naccelerate_config: a.yaml\n',
      'sft/a.yaml': 'distributed_type: MULTI_GPU\nnum_processes: 8 # all\nnum_machines: 1\n',
    };
    const { runs } = await read(files);
    const written = editsFor(runs[0] ?? assert.fail(), [{ quantity: 'nodes', to: 2 }]);
    assert.ok(written.ok);
    assert.deepEqual(
      written.edits.map(({ file, path, to }) => [file, path, to]),
      [['sft/a.yaml', 'num_machines', '2']],
    );
  });
});

describe('a change is refused', () => {
  const micro: Change = { quantity: 'microBatchSize', to: 1 };
  const cases: [title: string, text: string, change: Change, why: string][] = [
    [
      'where the value is filled in later',
      `${base}micro_batch_size: \${B}\n`,
      micro,
      'micro_batch_size is ${B}: it is filled in only when the run starts.',
    ],
    [
      'where several places share the value',
      `${base}x: &x 4\nmicro_batch_size: &m 4\neval_batch_size: *m\n`,
      micro,
      'micro_batch_size is shared through the anchor &m.',
    ],
    [
      'where the value is of a file that is only known by its name',
      `${base}micro_batch_size: 4\ndeepspeed: deepspeed_configs/zero2.json\n`,
      { quantity: 'zeroStage', to: 3 },
      'Axolotl configs have no key for it.',
    ],
    [
      'where the dialect has no word for the quantity',
      `${base}micro_batch_size: 4\n`,
      { quantity: 'imageSize', to: [224, 224] },
      'Axolotl configs have no key for it.',
    ],
  ];
  for (const [title, text, change, why] of cases) {
    it(title, async () => assert.equal(await edited(text, change), `refused: ${why}`));
  }

  it('and then the changed run takes the value as given', async () => {
    const run = await runOf(`${base}micro_batch_size: 4\ngradient_accumulation_steps: 2\n`);
    const { gpus, effectiveBatch } = changed(run, [{ quantity: 'gpus', to: 8 }]).quantities;
    assert.deepEqual(gpus, { value: 8, unit: 'GPUs', origin: { kind: 'user', setting: 'the change' } });
    assert.equal(effectiveBatch.value, 64);
    const further = changed(changed(run, [{ quantity: 'gpus', to: 8 }]), [micro]);
    assert.equal(further.quantities.effectiveBatch.value, 16);
  });
});
