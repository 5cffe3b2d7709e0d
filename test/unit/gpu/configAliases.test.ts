import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { configAliases } from '../../../src/remote/configAliases';

describe('gpu: hosts of an SSH config', () => {
  let home: string;

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'headroom-home-'));
  });

  afterEach(() => rmSync(home, { recursive: true, force: true }));

  function write(path: string, ...lines: readonly string[]): string {
    const file = join(home, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, lines.join('\n'));
    return file;
  }

  const listed = async (file: string | null = null) =>
    (await configAliases(file, home)).map(({ alias }) => alias);

  it('lists names in order, each once, and no patterns', async () => {
    write(
      '.ssh/config',
      '# Host commented',
      'Host gpu-box GPU2 # the big one',
      '  HostName 10.0.0.1',
      '\thost="quoted"',
      'HOST *.lab !x jump-? gpu-box user@node',
      'Match exec "touch /tmp/x" host secret',
      'Host=with-equals',
      'Host -oProxyCommand=x "a b"',
    );
    assert.deepEqual(await listed(), ['gpu-box', 'GPU2', 'quoted', 'user@node', 'with-equals']);
  });

  it('follows Include, with patterns, nested and in a circle', async () => {
    write('.ssh/config', 'Include conf.d/*.conf', 'Include ~/work/ssh', 'Host last');
    write('.ssh/conf.d/10.conf', 'Host ten', 'Include config');
    write('.ssh/conf.d/20.conf', 'Host twenty');
    write('.ssh/conf.d/.hidden.conf', 'Host hidden');
    write('.ssh/conf.d/readme', 'Host readme');
    write('work/ssh', 'Host work', `Include ${join(home, 'other/??')}`);
    write('other/ab', 'Host other');
    assert.deepEqual(await listed(), ['ten', 'twenty', 'work', 'other', 'last']);
  });

  it('takes another file when one is named, and nothing when there is none', async () => {
    assert.deepEqual(await listed(), []);
    const file = write('elsewhere', 'Host there');
    assert.deepEqual(await configAliases(file, home), [{ alias: 'there', file }]);
  });
});
