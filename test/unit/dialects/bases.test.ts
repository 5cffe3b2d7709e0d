import assert from 'node:assert/strict';
import { withBases } from '../../../src/core/dialects/engine/bases';
import type { NearbyFiles } from '../../../src/core/dialects/engine/compose';
import { parseYaml } from '../../../src/core/yaml/parse';

const compose = withBases({ keys: ['_BASE_', 'DATA._BASE_'], ignores: /^detectron2:/ });

async function composed(texts: Readonly<Record<string, string>>) {
  const files: NearbyFiles = {
    read: path => Promise.resolve(texts[path] === undefined ? null : parseYaml(texts[path])),
    list: () => Promise.resolve([]),
  };
  const [path = '', text = ''] = Object.entries(texts)[0] ?? [];
  const opened = { path, yaml: parseYaml(text), document: 0, mount: null };
  const [composition] = await compose(opened, files);
  return composition ?? assert.fail('there is always one run');
}

describe('bases of a config', () => {
  it('lie below it, those of a base lowest, and later ones of a list above earlier ones', async () => {
    const { beneath = [], gaps } = await composed({
      'a/x/config.yaml': '_BASE_: ["../one.yaml", "../two.yaml"]\nLR: 1\n',
      'a/one.yaml': '_BASE_: zero.yaml\n',
      'a/zero.yaml': 'LR: 2\n',
      'a/two.yaml': 'LR: 3\n',
    });
    assert.deepEqual(
      beneath.map(({ path }) => path),
      ['a/zero.yaml', 'a/one.yaml', 'a/two.yaml'],
    );
    assert.deepEqual(gaps, []);
  });

  it('may be named without an ending', async () => {
    const { beneath = [], gaps } = await composed({
      'a/x/config.yaml': '_BASE_: ../one\n',
      'a/one.yml': 'LR: 2\n',
    });
    assert.deepEqual([beneath.map(({ path }) => path), gaps], [['a/one.yml'], []]);
  });

  it('of a section lie beneath that section', async () => {
    const { beneath = [] } = await composed({
      'cfgs/models/a.yaml': 'DATA:\n  _BASE_: cfgs/data.yaml\n',
      'cfgs/data.yaml': 'BATCH: 2\n',
    });
    assert.deepEqual(
      beneath.map(({ path, mount }) => [path, mount]),
      [['cfgs/data.yaml', 'DATA']],
    );
  });

  it('that are not there are noted, and what they would say is a gap', async () => {
    const { gaps = [], notes = [] } = await composed({ 'a.yaml': '_BASE_: b.yaml\n' });
    assert.deepEqual(
      gaps.map(({ mount, key }) => [mount, key]),
      [['', '_BASE_']],
    );
    assert.deepEqual(
      notes.map(({ code }) => code),
      ['missing-file'],
    );
  });

  it('that include the config itself are detected', async () => {
    const { beneath = [], notes = [] } = await composed({
      'a.yaml': '_BASE_: b.yaml\n',
      'b.yaml': '_BASE_: a.yaml\n',
    });
    assert.deepEqual(
      notes.map(({ code }) => code),
      ['circular-files'],
    );
    assert.deepEqual(
      beneath.map(({ path }) => path),
      ['b.yaml'],
    );
  });

  it('of a catalog are no files', async () => {
    const { notes } = await composed({ 'a.yaml': '_BASE_: detectron2://x.yaml\n' });
    assert.deepEqual(notes, []);
  });
});
