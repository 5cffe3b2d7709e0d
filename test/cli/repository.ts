import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { file, folder } from './headroom';

/** Runs Git in the test's folder, without the settings of this machine; returns its output. */
export function git(...args: readonly string[]): string {
  const own = ['-c', 'user.name=a', '-c', 'user.email=a@b.c', '-c', 'init.defaultBranch=main', ...args];
  const env = { ...process.env, HOME: folder(), XDG_CONFIG_HOME: folder() };
  const { status, stdout, stderr } = spawnSync('git', own, { cwd: folder(), env, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return stdout.trim();
}

/** Clones a bare repository into `checkout`, with a commit of `a.yaml` for each text; returns the commits. */
export function checkoutOf(texts: readonly string[]): string[] {
  mkdirSync(join(folder(), 'work'));
  git('init', '-q', 'work');
  const commits = texts.map(text => {
    file('work/a.yaml', text);
    git('-C', 'work', 'add', '-A');
    git('-C', 'work', 'commit', '-q', '-m', 'x');
    return git('-C', 'work', 'rev-parse', 'HEAD');
  });
  git('clone', '-q', '--bare', 'work', 'origin.git');
  git('clone', '-q', 'origin.git', 'checkout');
  return commits;
}
