import assert from 'node:assert/strict';
import { readConfig } from '../../../src/core/reading/read';
import type { World } from '../../../src/core/analyse/world';
import { read, worldOf } from './support';

const axolotl = (deepspeed: string): string =>
  `base_model: x\nmicro_batch_size: 1\nsequence_len: 512\n${deepspeed}`;
const zero3 = '{"zero_optimization": {"stage": 3, "offload_param": {"device": "cpu"}}}';

describe('files that a config names', () => {
  it('are found beside it', async () => {
    const { runs, dependencies } = await read({
      'a/b/config.yml': axolotl('deepspeed: ds.json\n'),
      'a/b/ds.json': zero3,
    });
    const { zeroStage, offload } = runs[0]?.quantities ?? assert.fail();
    assert.equal(zeroStage.value, 3);
    assert.ok(zeroStage.origin.kind === 'referenced' && zeroStage.origin.at.file === 'a/b/ds.json');
    assert.deepEqual(offload.value, { param: 'cpu', optimizer: 'none' });
    assert.deepEqual(dependencies, ['a/b/config.yml', 'a/b/ds.json']);
  });

  it('are found from the folder where the framework is started, above it', async () => {
    const { runs, dependencies } = await read({
      'repo/examples/x/config.yml': axolotl('deepspeed: configs/ds.json\n'),
      'repo/configs/ds.json': zero3,
    });
    assert.equal(runs[0]?.quantities.zeroStage.value, 3);
    assert.ok(
      dependencies.includes('repo/examples/configs/ds.json'),
      'a file that may appear is a dependency',
    );
  });

  it('are known as the framework ships them when they are not there', async () => {
    const { runs, notes } = await read({
      'config.yml': axolotl('deepspeed: /workspace/axolotl/deepspeed_configs/zero2.json\n'),
    });
    const { zeroStage, offload } = runs[0]?.quantities ?? assert.fail();
    assert.equal(zeroStage.value, 2);
    assert.deepEqual(zeroStage.origin, {
      kind: 'default',
      framework: 'axolotl',
      version: '0.18.0',
      source: 'deepspeed_configs/zero2.json',
    });
    assert.deepEqual(offload.value, { param: 'none', optimizer: 'cpu' });
    assert.deepEqual(notes, []);
  });

  it('are found by the end of a path of another machine, folder and name', async () => {
    const files = {
      'repo/train/config.yml': axolotl('deepspeed: /workspace/me/repo/configs/ds.json\n'),
      'repo/configs/ds.json': zero3,
    };
    assert.equal((await read(files)).runs[0]?.quantities.zeroStage.value, 3);
    const { 'repo/train/config.yml': config } = files;
    const other = { 'repo/train/config.yml': config, 'repo/train/ds.json': zero3 };
    assert.equal((await read(other)).runs[0]?.quantities.zeroStage.value, null);
  });

  it('leave what they would say unknown when nobody has them, with a note', async () => {
    const { runs, notes } = await read({ 'config.yml': axolotl('deepspeed: mine/zero2.json\n') });
    const why = 'deepspeed names mine/zero2.json, not found next to config.yml or above.';
    assert.deepEqual(runs[0]?.quantities.zeroStage.origin, { kind: 'unresolved', why });
    assert.deepEqual(
      notes.map(({ code, message }) => [code, message]),
      [['missing-file', why]],
    );
  });

  it('may stand in the config itself', async () => {
    const text = axolotl('deepspeed:\n  zero_optimization:\n    stage: 2\n');
    const { runs } = await read({ 'config.yml': text });
    const { zeroStage } = runs[0]?.quantities ?? assert.fail();
    assert.equal(zeroStage.value, 2);
    assert.ok(zeroStage.origin.kind === 'file');
    assert.equal(zeroStage.origin.at.path, 'deepspeed.zero_optimization.stage');
  });

  it('lead to no part when the key is empty, and to none that can be known when it is filled in later', async () => {
    const empty = await read({ 'config.yml': axolotl('deepspeed:\n') });
    assert.equal(empty.runs[0]?.quantities.zeroStage.origin.kind, 'default');
    const later = await read({ 'config.yml': axolotl('deepspeed: ${DS}\n') });
    assert.equal(later.runs[0]?.quantities.zeroStage.origin.kind, 'unresolved');
  });

  it('name further files in turn', async () => {
    const { runs } = await read({
      'sft/config.yaml':
        'model_name_or_path: x\ndataset_name: y\nlearning_rate: 1\npacking: true\naccelerate_config: acc.yaml\n',
      'sft/acc.yaml':
        'distributed_type: DEEPSPEED\nnum_processes: 4\ndeepspeed_config:\n  deepspeed_config_file: ../ds.json\n',
      'ds.json': zero3,
    });
    const { gpus, zeroStage, effectiveBatch } = runs[0]?.quantities ?? assert.fail();
    assert.equal(gpus.value, 4);
    assert.equal(effectiveBatch.value, 32);
    assert.ok(zeroStage.origin.kind === 'referenced' && zeroStage.origin.at.file === 'ds.json');
  });

  it('that name each other do not go on for ever', async () => {
    const accelerate = 'distributed_type: DEEPSPEED\ndeepspeed_config:\n  deepspeed_config_file: a.yaml\n';
    const { dialect } = await read({ 'a.yaml': accelerate });
    assert.equal(dialect, 'accelerate');
  });

  it('are not looked for once nobody wants to know', async () => {
    const text = axolotl('deepspeed: ds.json\n');
    const world = worldOf({ 'config.yml': text, 'ds.json': zero3 });
    const asked: string[] = [];
    const watched: World = {
      ...world,
      files: {
        list: folder => world.files.list(folder),
        read: path => {
          asked.push(path);
          return world.files.read(path);
        },
      },
    };
    await readConfig('config.yml', text, watched, { aborted: true });
    assert.deepEqual(asked, []);
  });
});
