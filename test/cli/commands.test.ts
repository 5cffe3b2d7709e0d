import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { axolotl } from '../unit/core/support';

/** The command line as users start it: the built bundle, as a process of its own. */
const CLI = resolve('dist/cli.js');

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headroom-cli-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function headroom(...args: readonly string[]): Ended {
  // An empty PATH: no GPU tool of the machine may answer. The state of undo stays in the folder.
  const env = { PATH: '', XDG_STATE_HOME: join(folder, 'state'), HOME: folder, NO_COLOR: '1' };
  const run = spawnSync(process.execPath, [CLI, ...args], {
    cwd: folder,
    env,
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { code: run.status, out: run.stdout, err: run.stderr };
}

function file(name: string, text: string | Buffer): string {
  writeFileSync(join(folder, name), text);
  return name;
}

const sentences = (text: string): string[] => text.trim().split('\n').filter(Boolean);

describe('headroom check', () => {
  it('exits with the verdict', () => {
    file('small.yaml', axolotl({ base_model: 'TinyLlama/TinyLlama-1.1B-Chat-v1.0', micro_batch_size: 1 }));
    file('large.yaml', axolotl());
    assert.equal(headroom('check', 'small.yaml', '--gpu', 'A100 80GB').code, 0);
    assert.equal(headroom('check', 'large.yaml', '--gpu', '24GB').code, 1);
    assert.equal(headroom('check', 'large.yaml').code, 2);
    assert.equal(headroom('check', 'nowhere.yaml').code, 3);
  });

  it('prints JSON alone on stdout, the same each time', () => {
    file('a.yaml', axolotl());
    const [one, two] = [
      headroom('check', '.', '--gpu', '24GB', '--json'),
      headroom('check', '.', '--gpu', '24GB', '--json'),
    ];
    assert.equal(one.out, two.out);
    assert.equal((JSON.parse(one.out) as { schema: string }).schema, 'headroom/1');
    assert.equal(one.err, '');
  });

  it('has nothing to say about a folder without configs', () => {
    file('compose.yaml', 'services:\n  web:\n    image: nginx\n');
    const { code, err } = headroom('check', '.');
    assert.deepEqual({ code, err }, { code: 0, err: '' });
  });

  it('does not take what follows -- or looks like an option for one', () => {
    const { code, err } = headroom('check', '--', '--gpu');
    assert.equal(code, 3);
    assert.match(err, /--gpu: there is no such file/);
  });
});

describe('bad input', () => {
  const ours = axolotl();
  const cases: [title: string, make: () => string, says: RegExp][] = [
    ['broken YAML', () => file('a.yaml', `${ours}oops: [1,\n`), /^a\.yaml:\d+:\d+: YAML: /],
    ['tabs', () => file('a.yaml', `${ours}datasets:\n\t- path: x\n`), /^a\.yaml:\d+:\d+: YAML: /],
    [
      '100-deep nesting',
      () => file('a.yaml', `${ours}x: ${'['.repeat(100)}${']'.repeat(100)}\n`),
      /nests deeper than 64/,
    ],
    ['binary', () => file('a.yaml', Buffer.from([0x62, 0, 1, 2])), /not UTF-8 text/],
    [
      '50 MB',
      () => file('a.yaml', `${ours}x: "${'y'.repeat(50 * 1024 * 1024)}"\n`),
      /larger than any config|reads configs up to/,
    ],
    ['missing file', () => 'gone.yaml', /there is no such file/],
    ['negative batch', () => file('a.yaml', axolotl({ micro_batch_size: -4 })), /^a\.yaml:8:1: .*-4/],
    ['NaN batch', () => file('a.yaml', axolotl({ micro_batch_size: '.nan' })), /^a\.yaml:8:1: .*nan/i],
  ];
  for (const [title, make, says] of cases) {
    it(`${title}: one sentence, exit code 3, nothing changed`, () => {
      const name = make();
      const { code, err } = headroom('check', name, '--gpu', '24GB');
      assert.equal(code, 3, err);
      assert.equal(sentences(err).length, 1, err);
      assert.match(err, says);
      assert.doesNotMatch(err, /\n\s+at /);
    });
  }

  it('an alias bomb is read at once and answered', () => {
    const bomb = [
      'a: &a [x, x, x, x, x, x, x, x, x]',
      ...'bcdefghi'.split('').map(
        (name, i) =>
          `${name}: &${name} [${Array(9)
            .fill(`*${'abcdefgh'[i] ?? ''}`)
            .join(', ')}]`,
      ),
    ];
    file('a.yaml', `${ours}${bomb.join('\n')}\n`);
    assert.equal(headroom('check', 'a.yaml', '--gpu', '24GB').code, 1);
  });

  it('a folder where a config belongs', () => {
    mkdirSync(join(folder, 'conf'));
    const { code, err } = headroom('explain', 'conf');
    assert.equal(code, 3);
    assert.match(err, /^conf: this is a folder/);
  });

  it('a referenced file that is gone is a finding', () => {
    file('a.yaml', axolotl({ deepspeed: 'ds/own.json' }));
    const { out } = headroom('check', 'a.yaml', '--gpu', '24GB');
    assert.match(out, /missing-file/);
  });

  it('unknown verbs, options and GPUs', () => {
    file('a.yaml', ours);
    for (const args of [
      ['frobnicate'],
      ['check', 'a.yaml', '--frob'],
      ['check', 'a.yaml', '--gpu', 'RTX 9999'],
      ['check'],
      ['check', 'a.yaml', '--gpus', 'two'],
    ]) {
      const { code, err } = headroom(...args);
      assert.equal(code, 3, args.join(' '));
      assert.doesNotMatch(err, /\n\s+at /);
    }
  });
});

describe('headroom optimize', () => {
  it('prints a diff and changes nothing, applies with a backup, and takes it back', () => {
    const before = axolotl().replaceAll('\n', '\r\n');
    file('a.yaml', before);
    const dry = headroom('optimize', 'a.yaml', '--gpu-memory', '24');
    assert.equal(dry.code, 0, dry.err);
    assert.match(dry.out, /\n@@ /);
    assert.equal(readFileSync(join(folder, 'a.yaml'), 'utf8'), before);
    assert.equal(headroom('optimize', '--config-path', 'a.yaml', '--gpu-memory', '24', '--apply').code, 0);
    const after = readFileSync(join(folder, 'a.yaml'), 'utf8');
    assert.notEqual(after, before);
    assert.equal(after.split('\r\n').length, after.split('\n').length);
    assert.equal(readFileSync(join(folder, 'a.yaml.backup'), 'utf8'), before);
    assert.equal(headroom('check', 'a.yaml', '--gpu', '24GB').code, 0);
    assert.equal(headroom('optimize', 'a.yaml', '--undo').code, 0);
    assert.equal(readFileSync(join(folder, 'a.yaml'), 'utf8'), before);
  });

  it('refuses to take back over somebody else’s edit', () => {
    file('a.yaml', axolotl());
    headroom('optimize', 'a.yaml', '--gpu-memory', '24', '--apply');
    const edited = `${readFileSync(join(folder, 'a.yaml'), 'utf8')}# mine\n`;
    file('a.yaml', edited);
    const { code, err } = headroom('optimize', 'a.yaml', '--undo');
    assert.equal(code, 3);
    assert.match(err, /was edited since/);
    assert.equal(readFileSync(join(folder, 'a.yaml'), 'utf8'), edited);
  });

  it('wants a GPU, and a batch that can be shared', () => {
    file('a.yaml', axolotl());
    assert.match(headroom('optimize', 'a.yaml').err, /No GPU was named and none was found here/);
    const { code, err } = headroom(
      'optimize',
      'a.yaml',
      '--gpu',
      '24GB',
      '--gpus',
      '3',
      '--target-effective-batch',
      '256',
    );
    assert.equal(code, 3);
    assert.match(err, /255 or 258/);
  });

  it('reaches the batch it is asked for', () => {
    file('a.yaml', axolotl());
    const { out } = headroom(
      'optimize',
      'a.yaml',
      '--gpu',
      '24GB',
      '--target-effective-batch',
      '64',
      '--json',
    );
    const { plans } = JSON.parse(out) as { plans: { effect: string }[] };
    assert.ok(plans.length > 0);
    assert.match(plans[0]!.effect, /64/);
  });
});

describe('headroom explain and gpus', () => {
  it('explains the run and what is missing', () => {
    file('a.yaml', axolotl());
    const { code, out } = headroom('explain', 'a.yaml', '--gpu', '24GB');
    assert.equal(code, 1);
    assert.match(out, /\| microBatchSize .*\| line 8/);
  });

  it('finds no GPU where there is none', () => {
    const { code, out } = headroom('gpus');
    assert.equal(code, 0);
    assert.match(out, /No GPU was found|\| GPU/);
  });
});
