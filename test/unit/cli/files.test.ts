import assert from 'node:assert/strict';
import {
  chmodSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { replaceAll } from '../../../src/cli/files';
import { findInputs } from '../../../src/cli/inputs';
import { BadInput } from '../../../src/cli/output';

let folder = '';

function inFolder(): void {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'headroom-cli-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
}

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

describe('replacing files', () => {
  inFolder();

  it('keeps each old text in a backup that overwrites no older one', async () => {
    const path = file('a.yaml', 'a: 1\n');
    await replaceAll([{ path, before: 'a: 1\n', after: 'a: 2\n' }], true);
    await replaceAll([{ path, before: 'a: 2\n', after: 'a: 3\n' }], true);
    assert.deepEqual(readdirSync(folder).sort(), ['a.yaml', 'a.yaml.backup', 'a.yaml.backup.1']);
    assert.equal(readFileSync(`${path}.backup`, 'utf8'), 'a: 1\n');
    assert.equal(readFileSync(`${path}.backup.1`, 'utf8'), 'a: 2\n');
  });

  it('changes none when one has changed meanwhile', async () => {
    const one = file('a.yaml', 'a: 1\n');
    const two = file('b.yaml', 'b: other\n');
    const both = [
      { path: one, before: 'a: 1\n', after: 'a: 2\n' },
      { path: two, before: 'b: 1\n', after: 'b: 2\n' },
    ];
    await assert.rejects(replaceAll(both, true), BadInput);
    assert.equal(readFileSync(one, 'utf8'), 'a: 1\n');
    assert.deepEqual(readdirSync(folder).sort(), ['a.yaml', 'b.yaml']);
  });

  it('follows links and keeps the mode, whatever the umask', async () => {
    const path = file('a.yaml', 'a: 1\n');
    chmodSync(path, 0o640);
    symlinkSync(path, join(folder, 'link.yaml'));
    const umask = process.umask(0o077);
    await replaceAll([{ path: join(folder, 'link.yaml'), before: 'a: 1\n', after: 'a: 2\n' }], false);
    process.umask(umask);
    assert.equal(readFileSync(path, 'utf8'), 'a: 2\n');
    assert.equal(statSync(path).mode & 0o777, 0o640);
  });

  it('says which file is gone', async () => {
    const gone = { path: join(folder, 'gone.yaml'), before: '', after: 'x' };
    await assert.rejects(
      replaceAll([gone], true),
      /gone\.yaml: the file no longer exists; nothing was changed/,
    );
  });
});

describe('finding configs', () => {
  inFolder();

  it('takes files, folders and patterns, each file once', async () => {
    file('a.yaml', '');
    file('b.yml', '');
    file('c.txt', '');
    const { files, problems } = await findInputs([folder, join(folder, 'a.yaml'), join(folder, '*.yml')]);
    assert.deepEqual(problems, []);
    assert.deepEqual(
      files.map(({ path, named }) => [path.slice(folder.length + 1), named]),
      [
        ['a.yaml', true],
        ['b.yml', false],
      ],
    );
  });

  it('says which argument leads nowhere', async () => {
    const { problems } = await findInputs([join(folder, 'no.yaml'), join(folder, '*.none')]);
    assert.match(problems[0] ?? '', /no such file or folder/);
    assert.match(problems[1] ?? '', /no file matches/);
  });
});
