import assert from 'node:assert/strict';
import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { axolotl } from '../unit/core/support';
import { file, folder, headroom, inTemporaryFolder } from './headroom';

inTemporaryFolder();

const GPU = ['--gpu', '24GB'];
const VERBS = ['check', 'explain', 'optimize'] as const;

/** Each verb interprets the argument as the one config it means. */
function assertTaken(...args: readonly string[]): void {
  for (const verb of VERBS) {
    const { code, out, err } = headroom(verb, ...GPU, ...args);
    assert.ok(code === 0 || code === 1, `${verb} ${args.join(' ')}: ${err}`);
    assert.match(out, /≈ [\d.]+ GB of 24 GB/);
    assert.equal(err, '');
  }
}

describe('paths', () => {
  for (const name of ['with space.yaml', 'ünï–配置.yaml', 'br[a]ck.yaml', 'a{b}.yml', "it's.yaml"]) {
    it(name, () => assertTaken(file(name, axolotl())));
  }

  it('a name that holds what is a separator elsewhere', function posix() {
    if (process.platform === 'win32') this.skip();
    assertTaken(file('back\\slash.yaml', axolotl()));
    assertTaken(file('star*.yaml', axolotl()));
  });

  it('a name like an option, after -- or from here', () => {
    file('-dash.yaml', axolotl());
    assertTaken('--', '-dash.yaml');
    assertTaken('./-dash.yaml');
    const { code, err } = headroom('check', '-dash.yaml');
    assert.equal(code, 3);
    assert.equal(err, "error: unknown option '-dash.yaml'; if you mean the file, use ./-dash.yaml\n");
  });

  it('in full, from here, and from above', () => {
    file('a.yaml', axolotl());
    mkdirSync(join(folder(), 'sub'));
    for (const path of ['./a.yaml', join(folder(), 'a.yaml'), 'sub/../a.yaml']) assertTaken(path);
  });

  it('a link, which stays one while the file behind it is changed', function link() {
    if (process.platform === 'win32') this.skip();
    file('a.yaml', axolotl());
    symlinkSync('a.yaml', join(folder(), 'link.yaml'));
    assertTaken('link.yaml');
    assert.equal(headroom('optimize', 'link.yaml', '--apply', ...GPU).code, 0);
    assert.ok(lstatSync(join(folder(), 'link.yaml')).isSymbolicLink());
    assert.notEqual(readFileSync(join(folder(), 'a.yaml'), 'utf8'), axolotl());
    assert.ok(existsSync(join(folder(), 'a.yaml.backup')));
    assert.equal(headroom('optimize', 'link.yaml', '--undo').code, 0);
    assert.equal(readFileSync(join(folder(), 'a.yaml'), 'utf8'), axolotl());
  });

  it('a file given twice is checked once', () => {
    file('a.yaml', axolotl());
    const { out } = headroom('check', 'a.yaml', './a.yaml', '*.yaml', '.', ...GPU);
    assert.match(out, /^1 config in 1 file, 1 run: 1 does not fit$/m);
  });

  it('a pattern without a match, and no name at all', () => {
    const { code, err } = headroom('check', '*.nothing', '', ...GPU);
    assert.equal(code, 3);
    assert.equal(
      err,
      "*.nothing: no file matches this pattern.\n'': no such file or folder; check the path.\n",
    );
  });

  it('an empty folder has nothing to say', () => {
    mkdirSync(join(folder(), 'empty'));
    const { code, out, err } = headroom('check', 'empty', ...GPU);
    assert.deepEqual({ code, out, err }, { code: 0, out: '0 configs in 0 files, 0 runs\n', err: '' });
  });
});
