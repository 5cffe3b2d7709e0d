import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findPython } from '../../../src/profile/findPython';
import type { PythonSearch } from '../../../src/profile/findPython';

let root = '';

function python(path: string): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '#!/bin/sh\n');
  chmodSync(file, 0o755);
  return file;
}

const found = async (more: Partial<PythonSearch> = {}): Promise<string | null> => {
  const search = {
    named: null,
    folder: join(root, 'project/configs'),
    top: join(root, 'project'),
    variables: {},
    platform: 'linux',
    ...more,
  } as const;
  return (await findPython(search))?.executable ?? null;
};

describe('the Python of a config', () => {
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'headroom-python-'));
    mkdirSync(join(root, 'project/configs'), { recursive: true });
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('is the named one, whatever else exists', async () => {
    python('project/.venv/bin/python');
    assert.equal(await found({ named: '/opt/python' }), '/opt/python');
  });

  it('is the active environment before one beside the config, and that before conda’s base and the path', async () => {
    const active = python('active/bin/python');
    const beside = python('project/.venv/bin/python');
    const base = python('conda/bin/python');
    const path = python('bin/python3');
    const variables = {
      VIRTUAL_ENV: join(root, 'active'),
      CONDA_PREFIX: join(root, 'conda'),
      CONDA_DEFAULT_ENV: 'base',
      PATH: join(root, 'bin'),
    };
    assert.equal(await found({ variables }), active);
    assert.equal(await found({ variables: { ...variables, VIRTUAL_ENV: undefined } }), beside);
    rmSync(beside);
    assert.equal(await found({ variables: { ...variables, VIRTUAL_ENV: undefined } }), base);
    assert.equal(await found({ variables: { PATH: join(root, 'bin') } }), path);
  });

  it('is an environment of a folder above, up to the workspace’s own', async () => {
    python('.venv/bin/python');
    assert.equal(await found(), null);
    const inside = python('project/venv/bin/python');
    assert.equal(await found(), inside);
  });

  it('is conda’s named environment before one beside the config', async () => {
    python('project/.venv/bin/python');
    const named = python('conda/envs/train/bin/python');
    const variables = { CONDA_PREFIX: join(root, 'conda/envs/train'), CONDA_DEFAULT_ENV: 'train' };
    assert.equal(await found({ variables }), named);
  });

  it('is none if there is none', async () => {
    assert.equal(await found({ variables: { PATH: '' } }), null);
  });
});
