import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { axolotl } from '../unit/core/support';
import { file, folder, headroom, headroomAs, inTemporaryFolder } from './headroom';

inTemporaryFolder();

const GPU = ['--gpu', '24GB'];
const ours = axolotl();

/** Checks that there is only one sentence on stderr, and that it says so. */
function assertRefused({ code, err }: { code: number | null; err: string }, says: RegExp): void {
  assert.equal(code, 3, err);
  assert.equal(err.trim().split('\n').length, 1, err);
  assert.match(err, says);
}

describe('a file of an unknown format', () => {
  const DO =
    'Describe its keys in .headroom/dialects/NAME.yaml, or run its program without data: headroom profile -- python train.py.';

  it('is told in a line, with what to do in the next, once for all of them', () => {
    file('a.yaml', 'foo: 1\n');
    file('b.yaml', 'bar: 1\n');
    const { code, out } = headroom('check', 'a.yaml', 'b.yaml', ...GPU);
    assert.equal(code, 0);
    const [first, second, third] = out.split('\n');
    assert.equal(first, 'a.yaml not a config format that Headroom knows');
    assert.equal(second, `  ${DO} headroom formats lists the formats that Headroom knows.`);
    assert.equal(third, 'b.yaml not a config format that Headroom knows');
    const folder = headroom('check', '.', ...GPU).out;
    assert.doesNotMatch(folder, /Describe its keys/);
    assert.match(folder, /^0 configs in 2 files, 0 runs\nheadroom formats lists the formats/);
  });

  it('may be of one that the list of formats has not', () => {
    const { code, out } = headroom('formats');
    assert.equal(code, 0);
    assert.match(out, /^accelerate\n[^]*^Axolotl\n[^]*^vLLM\n/m);
  });
});

describe('words to add to a command without a config', () => {
  it('are refused, and start nothing', () => {
    assertRefused(
      headroom('run', '--', 'true'),
      /^Give a config before --; words after -- are added to its command\.$/m,
    );
  });
});

describe('a broken dialect near configs', () => {
  const place = '.headroom/dialects/mine.yaml';
  const said =
    /^\.headroom\/dialects\/mine\.yaml:1:1: 5 problems in this config format: Unknown key nam\. .* headroom check \.headroom\/dialects\/mine\.yaml$/;

  beforeEach(() => {
    mkdirSync(join(folder(), '.headroom/dialects'), { recursive: true });
    file(place, 'nam: x\nquantities: {foo: 3}\n');
    file('a.yaml', ours);
    file('b.yaml', ours);
  });

  it('is said once and fails none of them', () => {
    for (const args of [
      ['check', 'a.yaml', 'b.yaml', '--gpu', '80GB'],
      ['explain', 'a.yaml', '--gpu', '80GB'],
      ['check', '.', '--json', '--gpu', '80GB'],
    ]) {
      const { code, err } = headroom(...args);
      assert.equal(code, 0, err);
      const [only, ...others] = err.trim().split('\n');
      assert.match(only ?? '', said);
      assert.deepEqual(others, []);
    }
  });

  it('is bad input only where it is checked itself, and then not said twice', () => {
    const { code, err } = headroom('check', place, 'a.yaml', '--gpu', '80GB');
    assert.equal(code, 3);
    assert.doesNotMatch(err, said);
  });
});

/** Each name stands for nine of the previous one: 9⁹ values in total. */
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'] as const;
const bomb = NAMES.map(
  (name, i) =>
    `${name}: &${name} [${Array(9)
      .fill(i === 0 ? 'x' : `*${NAMES[i - 1] ?? ''}`)
      .join(', ')}]`,
);

/** Unreadable inputs and their messages, which are the same for every verb. */
const UNREADABLE: readonly (readonly [title: string, content: () => string | Buffer, says: RegExp])[] = [
  ['broken YAML', () => `${ours}oops: [1,\n`, /^a\.yaml:\d+:\d+: YAML: .* end with a \]\./],
  ['tabs', () => `${ours}datasets:\n\t- path: x\n`, /^a\.yaml:\d+:\d+: YAML: Tabs .*; use spaces\./],
  [
    '100-deep nesting',
    () => `${ours}x: ${'['.repeat(100)}${']'.repeat(100)}\n`,
    /^a\.yaml:1:1: This file has more than 64 levels of nesting and was not analyzed\./,
  ],
  ['binary', () => Buffer.from([0x62, 0, 1, 2]), /^a\.yaml: the file is not UTF-8 text; save it as UTF-8\./],
  ['UTF-16', () => Buffer.from(`\ufeff${ours}`, 'utf16le'), /^a\.yaml: the file is not UTF-8 text/],
  [
    '50 MB',
    () => `${ours}x: "${'y'.repeat(50 * 1024 * 1024)}"\n`,
    /^a\.yaml: the file is too large for a config/,
  ],
  [
    '5 MB',
    () => `${ours}x: "${'y'.repeat(5 * 1024 * 1024)}"\n`,
    /^a\.yaml:1:1: This file has 5\.0 MB; .* up to 4 MB/,
  ],
  [
    'a negative batch',
    () => axolotl({ micro_batch_size: -4 }),
    /^a\.yaml:8:1: micro_batch_size: -4 is not a positive/,
  ],
  [
    'a batch of NaN',
    () => axolotl({ micro_batch_size: '.nan' }),
    /^a\.yaml:8:1: micro_batch_size: \.nan is not/,
  ],
  [
    'a batch of 0',
    () => axolotl({ micro_batch_size: 0 }),
    /^a\.yaml:8:1: micro_batch_size: 0 is not a positive/,
  ],
  [
    'a list for a batch',
    () => axolotl({ micro_batch_size: '[1, 2]' }),
    /^a\.yaml:8:1: micro_batch_size: a list is not/,
  ],
  [
    'an alias bomb for a batch',
    () => `${bomb.join('\n')}\n${axolotl({ micro_batch_size: '*i' })}`,
    /Aliases make more than 100000 values of this file/,
  ],
];

describe('bad input: one sentence, exit code 3, no changes', () => {
  for (const [title, content, says] of UNREADABLE) {
    it(title, () => {
      file('a.yaml', content());
      const before = readFileSync(join(folder(), 'a.yaml'));
      for (const verb of [['check'], ['explain'], ['optimize'], ['optimize', '--apply']]) {
        assertRefused(headroom(...verb, 'a.yaml', ...GPU), says);
      }
      assert.ok(readFileSync(join(folder(), 'a.yaml')).equals(before));
      assert.deepEqual(readdirSync(folder()), ['a.yaml']);
    });
  }

  it('is a missing file, a folder instead of a file, or a dangling link', () => {
    mkdirSync(join(folder(), 'conf'));
    for (const verb of ['check', 'explain', 'optimize']) {
      assertRefused(headroom(verb, 'gone.yaml', ...GPU), /^gone\.yaml: no such file/);
    }
    assertRefused(headroom('explain', 'conf', ...GPU), /^conf: this is a folder; give a config in it/);
  });

  it('is an unreadable file (permission denied)', function unreadable() {
    chmodSync(join(folder(), file('a.yaml', ours)), 0o000);
    // Root may read everything, so run as another user.
    const uid = process.getuid?.() === 0 ? 65_534 : undefined;
    if (process.platform === 'win32' || headroomAs(uid, '--version').code !== 0) this.skip();
    for (const verb of ['check', 'explain', 'optimize']) {
      assertRefused(
        headroomAs(uid, verb, 'a.yaml', ...GPU),
        /^a\.yaml: the file is not readable; change its permissions/,
      );
    }
  });

  it('is a pipe that would never end', function pipe() {
    if (spawnSync('mkfifo', [join(folder(), 'a.yaml')]).status !== 0) this.skip();
    for (const verb of ['check', 'explain', 'optimize']) {
      assertRefused(headroom(verb, 'a.yaml', ...GPU), /^a\.yaml: not a readable regular file/);
    }
  });

  it('is a file that is only part of runs, or no config at all', () => {
    file('ds.json', '{ "zero_optimization": { "stage": 2 }, "train_micro_batch_size_per_gpu": 2 }\n');
    file('compose.yaml', 'services:\n  web:\n    image: nginx\n');
    assertRefused(headroom('optimize', 'ds.json', ...GPU), /^ds\.json is part of a run \(deepspeed\)/);
    for (const verb of ['optimize', 'explain', 'compare']) {
      const { code, err } = headroom(verb, 'compose.yaml', ...(verb === 'compare' ? [] : GPU));
      assert.equal(code, 3, verb);
      assert.match(
        err.trim(),
        /^compose\.yaml: not a config format that Headroom knows\. Describe its keys in \.headroom\/dialects.*\.$/,
      );
    }
  });

  it('is an unknown verb, option or GPU', () => {
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

describe('partly bad input', () => {
  it('an alias bomb next to the keys is rejected at once', () => {
    file('a.yaml', `${ours}${bomb.join('\n')}\n`);
    assert.equal(headroom('check', 'a.yaml', ...GPU).code, 3);
  });

  it('a missing referenced file is a finding, and the reason for a missing estimate', () => {
    file('a.yaml', axolotl({ deepspeed: 'ds/own.json' }));
    const { code, out } = headroom('check', 'a.yaml', ...GPU);
    assert.equal(code, 2);
    assert.match(
      out,
      /deepspeed names ds\/own\.json, not found .* Correct the name, or put the file there\. missing-file/,
    );
    assert.match(out, /Can't estimate: needs the ZeRO stage/);
    const planned = headroom('optimize', 'a.yaml', '--apply', ...GPU);
    assert.equal(planned.code, 2);
    assert.equal(planned.err, 'a.yaml: No memory estimate. Missing: the ZeRO stage.\n');
    assert.ok(!existsSync(join(folder(), 'a.yaml.backup')));
  });

  it('an unknown model is reported with the places searched and what to do', () => {
    file('a.yaml', axolotl({ base_model: 'nobody/unheard-of' }));
    for (const { code, out, err } of [
      headroom('check', 'a.yaml', ...GPU),
      headroom('optimize', 'a.yaml', ...GPU),
    ]) {
      assert.equal(code, 2);
      const said = `${out}${err}`;
      assert.ok(said.includes(`Hugging Face cache (${folder()}/.cache/huggingface/hub)`), said);
      assert.match(
        said,
        /Not in the catalog, the Hugging Face cache \(.*\) or next to this config\. Download its config\.json \(`--download` in a terminal\)/,
      );
    }
  });
});
