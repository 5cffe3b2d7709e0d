import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { axolotl } from '../unit/core/support';
import { file, folder, headroom, inTemporaryFolder } from './headroom';
import type { Ended } from './headroom';

inTemporaryFolder();

const LARGE = axolotl({ micro_batch_size: 64 });
const GPU = ['--gpu', 'H100 80GB'];

const run = (program: string, ...args: readonly string[]): Ended => {
  // A user's own settings of Git don't count here.
  const env = { ...process.env, HOME: folder(), XDG_CONFIG_HOME: folder(), NO_COLOR: '1' };
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder(), env, encoding: 'utf8' });
  return { code: status, out: stdout, err: stderr };
};
const git = (...args: readonly string[]): Ended =>
  run('git', '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args);
/** With Git in its path, which other tests of the command line don't have. */
const diff = (...args: readonly string[]): Ended =>
  run(process.execPath, resolve('dist/cli.js'), 'diff', ...args);

function commit(message: string): void {
  git('add', '-A');
  git('commit', '-q', '-m', message);
}

describe('headroom diff of folders', () => {
  it('compares what two folders have, and exits 1 for a run that stopped fitting', () => {
    for (const name of ['before', 'after']) mkdirSync(join(folder(), name));
    file('before/a.yaml', axolotl());
    file('after/a.yaml', LARGE);
    file('before/same.yaml', axolotl());
    file('after/same.yaml', axolotl());
    const { code, out } = headroom('diff', 'before', 'after', ...GPU);
    assert.equal(code, 1);
    assert.match(out, /^✗ a\.yaml\n {4}memory: .* GB → .* GB\n {4}verdict: tight .* → does not fit/);
    assert.doesNotMatch(out, /same/);
    assert.equal(headroom('diff', 'after', 'before', ...GPU).code, 0);
  });

  it('says in one sentence that something is neither a folder nor a revision', () => {
    const { code, err } = headroom('diff', 'nothing', '.');
    assert.equal(code, 3);
    assert.equal(err, 'nothing: neither a folder nor a Git revision here.\n');
  });
});

describe('headroom diff of Git revisions', () => {
  beforeEach(function () {
    if (git('init', '-q').code === 0) return;
    console.log('      skipped: git is missing');
    this.skip();
  });

  it('compares a revision with the working folder or another revision, and leaves both alone', () => {
    file('a.yaml', axolotl());
    commit('one');
    file('a.yaml', LARGE);
    const before = temporaryFolders();
    const uncommitted = diff('HEAD', '--json', ...GPU);
    assert.equal(uncommitted.code, 1);
    const { changes } = JSON.parse(uncommitted.out) as { changes: { file: string; worse: boolean }[] };
    assert.deepEqual(
      changes.map(one => [one.file, one.worse]),
      [['a.yaml', true]],
    );
    commit('two');
    assert.equal(diff('HEAD', ...GPU).out, 'No run needs more or less GPU memory.\n');
    assert.match(diff('HEAD~1', 'HEAD', '--markdown', ...GPU).out, /^<!-- headroom-diff -->\n/);
    assert.equal(diff('HEAD', 'HEAD', '--markdown', ...GPU).out, '');
    assert.equal(git('status', '--porcelain').out, '');
    assert.deepEqual(temporaryFolders(), before);
  });

  it('sees a change in a file that a config references', () => {
    const zero = (stage: number): string => JSON.stringify({ zero_optimization: { stage } });
    file('a.yaml', axolotl({ deepspeed: 'zero.json', adapter: '' }));
    file('zero.json', zero(1));
    commit('one');
    file('zero.json', zero(3));
    commit('two');
    const { out } = diff('HEAD~1', 'HEAD', ...GPU, '--gpus', '8');
    assert.match(out, /a\.yaml\n[^]*because of: [^\n]*ZeRO stage 1 → 3/);
  });

  it('follows no link and runs nothing that a repository names', () => {
    file('filter.sh', '#!/bin/sh\ntouch ran\ncat\n');
    file('.gitattributes', '*.yaml filter=evil\n');
    file('a.yaml', axolotl());
    symlinkSync('/etc/hostname', join(folder(), 'link.yaml'));
    commit('one');
    git('config', 'filter.evil.smudge', 'sh ./filter.sh');
    git('config', 'core.fsmonitor', 'sh ./filter.sh');
    file('a.yaml', LARGE);
    commit('two');
    const known = new Set(readdirSync(folder()));
    assert.equal(diff('HEAD~1', 'HEAD', ...GPU).code, 1);
    const made = readdirSync(folder()).filter(name => !known.has(name));
    assert.ok(!made.includes('ran'), made.join());
    assert.equal(diff('--output=ran', 'HEAD').code, 3);
  });
});

const temporaryFolders = (): readonly string[] =>
  readdirSync(tmpdir()).filter(name => name.startsWith('headroom-diff-'));
