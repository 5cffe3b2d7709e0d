import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeFiles } from '../../../src/world/nodeFiles';

const isRoot = process.getuid?.() === 0;
const hasPipes = process.platform !== 'win32';
const hasProc = existsSync('/proc/self/pagemap');

describe('world: files', () => {
  let folder: string;
  let files: NodeFiles;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'headroom-files-'));
    files = new NodeFiles(folder.replaceAll('\\', '/'), 100);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('reads text, relative to its root or absolute, through links, byte order mark included', async () => {
    writeFileSync(join(folder, 'a.yaml'), '\uFEFFa: é\r\n');
    symlinkSync(join(folder, 'a.yaml'), join(folder, 'link.yaml'));
    for (const path of ['a.yaml', './a.yaml', 'link.yaml', `${folder.replaceAll('\\', '/')}/a.yaml`]) {
      assert.deepEqual(await files.read(path), { text: '\uFEFFa: é\r\n' }, path);
    }
  });

  it('tells apart why there is no text', async () => {
    mkdirSync(join(folder, 'folder'));
    writeFileSync(join(folder, 'large.yaml'), 'x'.repeat(101));
    writeFileSync(join(folder, 'zero.bin'), Buffer.from([0x61, 0x00, 0x62]));
    writeFileSync(join(folder, 'latin1.yaml'), Buffer.from([0x61, 0xe9, 0x0a]));
    symlinkSync('loop', join(folder, 'loop'));
    const absences = {
      'nothing.yaml': 'missing',
      'zero.bin/below.yaml': 'missing',
      folder: 'directory',
      'large.yaml': 'too-large',
      'zero.bin': 'binary',
      'latin1.yaml': 'binary',
      loop: 'missing',
      ['long'.repeat(100)]: 'missing',
      'nul\0.yaml': 'unavailable',
    };
    for (const [path, absence] of Object.entries(absences)) {
      assert.deepEqual(await files.read(path), { absence }, path);
    }
  });

  (isRoot ? it.skip : it)('says when it may not read (not for root, who may)', async () => {
    writeFileSync(join(folder, 'secret.yaml'), 'a: 1');
    chmodSync(join(folder, 'secret.yaml'), 0);
    assert.deepEqual(await files.read('secret.yaml'), { absence: 'denied' });
  });

  (hasPipes ? it : it.skip)('does not open a pipe, which would block', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    assert.deepEqual(await files.read('pipe'), { absence: 'unavailable' });
    assert.equal(await files.bytes('pipe', 0, 8), null);
  });

  (hasProc ? it : it.skip)(
    'reads nothing of the system, whatever its files and links look like',
    async () => {
      symlinkSync('/proc/self/pagemap', join(folder, 'model'));
      symlinkSync('/dev/zero', join(folder, 'zero'));
      for (const path of ['/proc/self/pagemap', '/proc/self/status', '/dev/zero', 'model', 'zero']) {
        assert.deepEqual(await files.read(path), { absence: 'unavailable' }, path);
        assert.equal(await files.bytes(path, 0, 8), null, path);
      }
    },
  );

  it('counts what it reads, whatever the size is said to be', async () => {
    const growing = join(folder, 'growing');
    writeFileSync(growing, 'x'.repeat(100));
    assert.deepEqual(await files.read('growing'), { text: 'x'.repeat(100) });
    appendFileSync(growing, 'x');
    assert.deepEqual(await files.read('growing'), { absence: 'too-large' });
  });

  it('lists names sorted, and nothing where there is no folder', async () => {
    for (const name of ['b', 'a', 'c']) writeFileSync(join(folder, name), '');
    assert.deepEqual(await files.list('.'), ['a', 'b', 'c']);
    assert.deepEqual(await files.list('nowhere'), []);
    assert.deepEqual(await files.list('a'), []);
  });
});
