import assert from 'node:assert/strict';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { axolotl } from '../unit/core/support';
import { file, folder, headroom, inTemporaryFolder } from './headroom';

inTemporaryFolder();

const GPU = ['--gpu', '24GB'];
const VERBS = ['check', 'explain', 'optimize'] as const;

/** These verbs interpret the argument as the one config it means. */
function assertTaken(verbs: readonly string[], ...args: readonly string[]): void {
  for (const verb of verbs) {
    const { code, out, err } = headroom(verb, ...GPU, ...args);
    assert.ok(code === 0 || code === 1, `${verb} ${args.join(' ')}: ${err}`);
    assert.match(out, /≈ [\d.]+ GB of 24 GB/);
    assert.equal(err, '');
  }
}

describe('paths', () => {
  const odd = ['with space.yaml', 'ünï–配置.yaml', 'br[a]ck.yaml', 'a{b}.yml', "it's.yaml"];
  // Other systems' separators.
  if (process.platform !== 'win32') odd.push('back\\slash.yaml', 'star*.yaml');

  it('may contain anything, each of several', () => {
    const names = odd.map(name => file(name, axolotl()));
    for (const verb of ['check', 'optimize']) {
      const { code, out, err } = headroom(verb, ...GPU, ...names, '--json');
      assert.ok(code === 0 || code === 1, err);
      assert.equal(err, '');
      const { files } = JSON.parse(out) as { files: readonly { readonly file: string }[] };
      assert.deepEqual(files.map(one => one.file).sort(), names.toSorted(), verb);
    }
  });

  for (const name of odd) it(name, () => assertTaken(['explain'], file(name, axolotl())));
  it(`${odd[2]} alone`, () => assertTaken(VERBS, file(odd[2] ?? '', axolotl())));

  it('may look like an option, after -- or as a relative path', () => {
    file('-dash.yaml', axolotl());
    assertTaken(VERBS, '--', '-dash.yaml');
    assertTaken(VERBS, './-dash.yaml');
    const { code, err } = headroom('check', '-dash.yaml');
    assert.equal(code, 3);
    assert.equal(err, "error: unknown option '-dash.yaml'; if you mean the file, use ./-dash.yaml\n");
  });

  it('may be absolute, relative, or lead through a parent', () => {
    file('a.yaml', axolotl());
    mkdirSync(join(folder(), 'sub'));
    for (const path of ['./a.yaml', join(folder(), 'a.yaml'), 'sub/../a.yaml']) assertTaken(VERBS, path);
  });

  for (const marker of ['.git', 'pyproject.toml']) {
    it(`may lie in another project, whose files say how it starts: ${marker}`, () => {
      const project = mkdtempSync(join(tmpdir(), 'headroom-project-'));
      try {
        mkdirSync(join(project, 'configs/tunes'), { recursive: true });
        mkdirSync(join(project, 'scripts'));
        const config = join(project, 'configs/tunes/tune.yaml');
        writeFileSync(config, axolotl());
        const start = 'accelerate launch --num_processes 4 -m axolotl.cli.train configs/tunes/tune.yaml';
        writeFileSync(join(project, 'scripts/tune.sh'), `#!/bin/bash\n${start}\n`);
        const alone = headroom('explain', config, ...GPU).out;
        writeFileSync(join(project, marker), '');
        const { code, out, err } = headroom('explain', config, ...GPU);
        assert.ok(code === 0 || code === 1, err);
        assert.ok(out.includes('4 × Python') && !alone.includes('4 × Python'), out);
      } finally {
        rmSync(project, { recursive: true, force: true });
      }
    });
  }

  it('may be a link, which stays one while its file changes', function link() {
    if (process.platform === 'win32') this.skip();
    file('a.yaml', axolotl());
    symlinkSync('a.yaml', join(folder(), 'link.yaml'));
    assertTaken(VERBS, 'link.yaml');
    assert.equal(headroom('optimize', 'link.yaml', '--apply', ...GPU).code, 0);
    assert.ok(lstatSync(join(folder(), 'link.yaml')).isSymbolicLink());
    assert.notEqual(readFileSync(join(folder(), 'a.yaml'), 'utf8'), axolotl());
    assert.ok(existsSync(join(folder(), 'a.yaml.backup')));
    assert.equal(headroom('optimize', 'link.yaml', '--undo').code, 0);
    assert.equal(readFileSync(join(folder(), 'a.yaml'), 'utf8'), axolotl());
  });

  it('may name a file twice, which is checked once', () => {
    file('a.yaml', axolotl());
    const { out } = headroom('check', 'a.yaml', './a.yaml', '*.yaml', '.', ...GPU);
    assert.match(out, /^1 config in 1 file, 1 run: 1 does not fit$/m);
  });

  it('may be a pattern without a match, or missing', () => {
    const { code, err } = headroom('check', '*.nothing', '', ...GPU);
    assert.equal(code, 3);
    assert.equal(
      err,
      "*.nothing: no file matches this pattern.\n'': no such file or folder; check the path.\n",
    );
  });

  it('may be an empty folder, which reports nothing', () => {
    mkdirSync(join(folder(), 'empty'));
    const { code, out, err } = headroom('check', 'empty', ...GPU);
    assert.deepEqual({ code, out, err }, { code: 0, out: '0 configs in 0 files, 0 runs\n', err: '' });
  });
});
