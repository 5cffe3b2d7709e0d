import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { processesWith } from '../processes';
import { SshBench, whyNoSshd } from '../ssh/sshd';
import { DEVICE, TORCH_FILES } from '../../jobs/stubTorch';
import { skipFor } from '../../skipFor';

const CLI = resolve('dist/cli.js');

/** In place of a program's Python: its answer is what it was asked. */
const TOLD = `import json, os, sys
request = json.loads(sys.stdin.readline())
here = request["folder"]
told = {"files": sorted(os.listdir(here)), "words": request["command"], "cuda": os.environ.get("CUDA_VISIBLE_DEVICES")}
print("noise of a program that trains")
print(json.dumps({"kind": "refused", "what": "told", "sentence": json.dumps(told)}))
`;

interface Told {
  readonly files: readonly string[];
  readonly words: readonly string[];
  readonly cuda: string | null;
}

describe('services: a program’s dry run over SSH', function () {
  this.timeout(120_000);
  let bench: SshBench;
  let home: string;
  let work: string;
  const reason = whyNoSshd();

  before(async function () {
    skipFor(reason, this);
    bench = new SshBench();
    home = join(bench.folder, 'home');
    mkdirSync(home);
    writeFileSync(join(bench.folder, 'told.py'), TOLD);
    await bench.serve('far', null, { environment: { HOME: home } });
    bench.knows('dead', 9, 'host');
  });

  beforeEach(() => {
    work = mkdtempSync(join(tmpdir(), 'headroom-work-'));
    writeFileSync(join(work, 'train.py'), 'import torch\n');
  });

  afterEach(() => rmSync(work, { recursive: true, force: true }));

  after(async () => {
    if (reason !== null) return;
    await bench.end();
    assert.deepEqual(processesWith(bench.folder), []);
  });

  const profile = (host: string, ...args: readonly string[]) =>
    headroom(['profile', '--yes', '--host', host, '--ssh-config', bench.configFile, ...args]);

  function headroom(words: readonly string[], more: NodeJS.ProcessEnv = {}) {
    const state = join(bench.folder, 'state');
    const env = { ...process.env, HEADROOM_STATE: state, NO_COLOR: '1', HF_TOKEN: 'hf_0123456789', ...more };
    const child = spawn(process.execPath, [CLI, ...words], { cwd: work, env });
    const said = { out: '', err: '' };
    child.stdout.on('data', (text: Buffer) => (said.out += text.toString()));
    child.stderr.on('data', (text: Buffer) => (said.err += text.toString()));
    return new Promise<{ code: number | null; out: string; err: string }>(done =>
      child.once('close', code => done({ code, out: said.out.trim(), err: said.err.trim() })),
    );
  }

  const COMMAND = ['--', 'python', 'train.py'];

  /** The environment of the project, which travels because it is none of Python's own. */
  function environmentIs(command: string): void {
    mkdirSync(join(work, '.venv/bin'), { recursive: true });
    writeFileSync(join(work, '.venv/bin/python'), `#!/bin/sh\nexec ${command}\n`, { mode: 0o755 });
  }

  /** Nothing is left there; here nothing but what is told. */
  function isGone(): void {
    const jobs = join(home, '.headroom/jobs');
    assert.deepEqual(readdirSync(jobs), []);
    assert.deepEqual(readdirSync(join(bench.folder, 'state/probes')), []);
    assert.deepEqual(readdirSync(join(bench.folder, 'state/jobs')), []);
  }

  it('goes there as a calibration does, which is kept here', async () => {
    const packages = join(bench.folder, 'packages');
    for (const [name, text] of Object.entries(TORCH_FILES)) {
      mkdirSync(join(packages, name, '..'), { recursive: true });
      writeFileSync(join(packages, name), text);
    }
    writeFileSync(join(work, 'device.py'), DEVICE);
    const python = join(bench.folder, 'with-torch');
    const script = `#!/bin/sh\nPYTHONPATH=${packages} exec python3 -S "$@"\n`;
    writeFileSync(python, script, { mode: 0o755 });
    const words = ['calibrate', '--host', 'far', '--ssh-config', bench.configFile, '--python', python];
    const { code, out, err } = await headroom(words, { HEADROOM_PROBE_DEVICE: join(work, 'device.py') });
    assert.equal(code, 0, err);
    assert.match(out, /^H100 SXM: 100 TFLOP\/s in 16 bits/);
    assert.match(readFileSync(join(work, '.headroom/measurements.jsonl'), 'utf8'), /"headroom-rates\/1"/);
    isGone();
  });

  it('says that the host has no such Python', async () => {
    const { code, out } = await profile('far', '--python', '/nowhere/python', ...COMMAND);
    assert.equal(code, 2);
    assert.equal(
      out,
      "Can't profile this program (far): /nowhere/python was not found there. Name a Python of that machine with --python.",
    );
    isGone();
  });

  it('says that the Python there has no torch, with the command that installs it', async () => {
    environmentIs('python3 -S "$@"');
    const { out } = await profile('far', ...COMMAND);
    assert.match(
      out,
      /^Can't profile this program \(far\): \S+ has no torch\. Install it: \S+ -m pip install torch$/,
    );
    isGone();
  });

  it('says that a folder is not there', async () => {
    const { out } = await profile('far', '--remote-folder', '~/nowhere', ...COMMAND);
    assert.equal(out, "Can't profile this program (far): ~/nowhere is no folder there.");
    isGone();
  });

  it('says that nobody answers', async () => {
    const { code, out } = await profile('dead', ...COMMAND);
    assert.equal(code, 2);
    assert.match(out, /^Can't profile this program \(dead\): dead refuses SSH connections/);
    rmSync(join(bench.folder, 'state/jobs'), { recursive: true });
    mkdirSync(join(bench.folder, 'state/jobs'));
  });

  it('copies no folder that is too large, and names what is', async () => {
    writeFileSync(join(work, 'data.bin'), '');
    truncateSync(join(work, 'data.bin'), 600e6);
    const { code, err } = await profile('far', ...COMMAND);
    assert.equal(code, 3);
    assert.match(
      err,
      /has 600 MB to copy; the limit is 500 MB\. In \.headroomignore, exclude .*data\.bin \(600 MB\)/,
    );
  });

  it('takes the code along as git would, without secrets, and hides the GPUs there', async () => {
    // Headroom's own folder is in a repository that ignores everything, as some home folders are.
    mkdirSync(join(bench.folder, 'state/.git/info'), { recursive: true });
    writeFileSync(join(bench.folder, 'state/.git/info/exclude'), '*\n');
    writeFileSync(join(work, '.env'), 'HF_TOKEN=hf_0123456789\n');
    writeFileSync(join(work, '.gitignore'), 'out\n');
    mkdirSync(join(work, 'out'));
    writeFileSync(join(work, 'out/weights.bin'), 'x');
    symlinkSync('train.py', join(work, 'link.py'));
    environmentIs(`python3 ${join(bench.folder, 'told.py')}`);
    const program = [
      'HF_TOKEN=hf_0123456789',
      'python',
      join(work, 'train.py'),
      '--hub_token',
      'hf_0123456789',
    ];
    const { out, err } = await profile('far', '--', ...program);
    rmSync(join(bench.folder, 'state/.git'), { recursive: true });
    const { words, cuda, files } = JSON.parse(/\{.*\}/.exec(out)?.[0] ?? '{}') as Told;
    assert.deepEqual(words, ['HF_TOKEN=…', 'python', 'train.py', '--hub_token', '…'], err);
    assert.deepEqual([cuda, files], ['', ['.gitignore', '.venv', 'link.py', 'train.py']]);
    isGone();
  });
});
