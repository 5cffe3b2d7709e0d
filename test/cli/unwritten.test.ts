import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { resolve } from 'node:path';
import { axolotl } from '../unit/core/support';
import { file, folder, inTemporaryFolder } from './headroom';

inTemporaryFolder();

const CLI = resolve('dist/cli.js');

/** No exit code of a verdict, and no output: the reader is gone, or its disk is full. */
describe('output that cannot be written', () => {
  const verbs = [['check', '.', '--gpu', '24GB'], ['check', '.', '--json'], ['jobs', '--json'], ['--help']];

  it('ends quietly with its own exit code on a full disk', function () {
    if (!existsSync('/dev/full')) this.skip();
    file('a.yaml', axolotl());
    for (const verb of verbs) {
      const full = openSync('/dev/full', 'w');
      const { status, stderr } = spawnSync(process.execPath, [CLI, ...verb], {
        cwd: folder(),
        encoding: 'utf8',
        env: { PATH: '', HEADROOM_STATE: folder() },
        stdio: ['ignore', full, 'pipe'],
      });
      closeSync(full);
      assert.deepEqual([verb, status, /\bat \S+:\d+|Error/.test(stderr)], [verb, 4, false], stderr);
    }
  });

  it('ends the same if the reader has gone', function () {
    if (process.platform === 'win32') this.skip();
    file('a.yaml', axolotl());
    // The other end of the pipe is closed before anything is written.
    const script = `{ sleep 0.3; "$0" "$1" check . --json; echo "code $?" >&2; } | true`;
    const { stderr } = spawnSync('/bin/bash', ['-c', script, process.execPath, CLI], {
      cwd: folder(),
      encoding: 'utf8',
      env: { PATH: '/usr/bin:/bin', HEADROOM_STATE: folder() },
    });
    assert.match(stderr, /^code 4$/m);
    assert.doesNotMatch(stderr, /EPIPE/);
  });
});
