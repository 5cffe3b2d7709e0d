import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

describe('cli: the compile cache', () => {
  const cli = resolve('dist/cli.js');
  const run = (home: string): string => {
    const env = { ...process.env, XDG_CACHE_HOME: home, LOCALAPPDATA: home, HOME: home, HEADROOM_CACHE: '' };
    const { stdout, stderr } = spawnSync(process.execPath, [cli, '--version'], { env, encoding: 'utf8' });
    assert.equal(stderr, '', 'a start says nothing of what it keeps');
    return stdout;
  };

  it('has one file per program, and the next start uses it and prints the same', function () {
    // On macOS the folder is the system's.
    if (process.platform === 'darwin') this.skip();
    const home = mkdtempSync(join(tmpdir(), 'headroom-started-'));
    try {
      const folder = join(home, 'headroom/compiled');
      mkdirSync(folder, { recursive: true });
      const first = run(home);
      assert.match(first, /^\d+\.\d+\.\d+/);
      const names = readdirSync(folder);
      const name = names.find(one => one.startsWith('program_')) ?? '';
      assert.ok(name !== '' && names.every(one => /^(?:program|shared-\d+)_other_v.*\.bin$/.test(one)));
      const older = join(folder, `${name.split('_').slice(0, 4).join('_')}_0.0.1_1_1.bin`);
      writeFileSync(older, '');
      writeFileSync(join(folder, name), 'torn');
      assert.equal(run(home), first);
      assert.deepEqual(readdirSync(folder), names);
      assert.notEqual(readFileSync(join(folder, name), 'latin1'), 'torn');
    } finally {
      rmSync(home, { recursive: true });
    }
  });
});
