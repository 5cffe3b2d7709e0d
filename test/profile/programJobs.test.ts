import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readMeasurements } from '../../src/core/learn/readMeasurements';
import { processesWith, signal, until, withDescendants } from '../services/processes';
import { Ray, whyNoRay } from '../services/ray/ray';
import { Slurm, whyNoSlurm } from '../services/slurm/slurm';
import { SshBench, whyNoSshd } from '../services/ssh/sshd';
import { skipFor } from '../skipFor';

const PYTHON = resolve(process.env['HEADROOM_TEST_PYTHON'] ?? 'python3');
const CLI = resolve('dist/cli.js');
const SAMPLE = resolve('test/fixtures/profile/program');

/** Says that it runs by a file that only tests may have: the sandbox lets it write nowhere, so by its own process. */
const SLOW = `import time, torch
x = torch.zeros(1, device="cuda")
while True:
    time.sleep(0.05)
`;

const NEVER_TRAINS = 'import torch\nprint(torch.zeros(3, device="cuda").sum())\n';

/** Writes, downloads, starts programs and forks, also past Python. */
const WILD = `import ctypes, os, subprocess, sys, urllib.request
import torch
assert os.environ.get("HF_TOKEN") == "…", os.environ.get("HF_TOKEN")
assert "SECRET_OF_MINE" not in os.environ and not os.path.exists(".env")
assert os.environ["CUDA_VISIBLE_DEVICES"] == ""
model = torch.nn.Linear(64, 64).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
for path in (os.path.expanduser("~/wrote"), "wrote", sys.argv[1] + "/wrote"):
    with open(path, "w") as file:
        file.write("x")
touch = ["touch", sys.argv[1] + "/wrote"]
for what in (
    lambda: urllib.request.urlopen(sys.argv[2]),
    lambda: subprocess.run(touch),
    lambda: os.system(" ".join(touch)),
    lambda: ctypes.CDLL(None).system(" ".join(touch).encode()),
    os.fork,
):
    try:
        what()
    except Exception as error:
        print(type(error).__name__, error)
for _ in range(3):
    model(torch.zeros(8, 64, device="cuda")).sum().backward()
    optimizer.step()
`;

/** A place of another machine: the words that name it, its variables, and where its jobs' files are. */
interface Far {
  readonly words: readonly string[];
  readonly variables: NodeJS.ProcessEnv;
  /** The folder of its jobs; null: its own. */
  readonly jobs: string | null;
  readonly name: string;
}

interface Told {
  readonly place: string | null;
  readonly peak: { readonly bytes: number };
  readonly how: string;
  readonly refused: readonly { readonly what: string }[];
}

let folder = '';
let work = '';

const environment = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  ...process.env,
  HEADROOM_STATE: join(folder, 'state'),
  XDG_DATA_HOME: join(folder, 'data'),
  NO_COLOR: '1',
  ...more,
});

function started(args: readonly string[], more: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, [CLI, 'profile', '--yes', ...args], {
    cwd: work,
    env: environment(more),
  });
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.err += text));
  const ended = new Promise<number | null>(done => child.once('close', done));
  return { child, said, ended };
}

async function profiled(args: readonly string[], more: NodeJS.ProcessEnv = {}) {
  const { said, ended } = started(args, more);
  return { code: await ended, ...said };
}

const at = (far: Far, ...program: readonly string[]): readonly string[] => [
  ...far.words,
  ...['--python', PYTHON, '--', ...program],
];

/** Nothing of a job is left here or there, neither files nor processes. */
function leavesNothing({ jobs }: Far): void {
  const state = join(folder, 'state');
  for (const one of [join(state, 'jobs'), join(state, 'probes'), ...(jobs === null ? [] : [jobs])]) {
    assert.deepEqual(existsSync(one) ? readdirSync(one) : [], [], one);
  }
  assert.deepEqual(
    processesWith('start.py').filter(pid => processesWith(folder).includes(pid)),
    [],
  );
}

/** Ends a program that runs there with Ctrl+C here. */
async function canceled(far: Far): Promise<void> {
  writeFileSync(join(work, 'slow.py'), SLOW);
  const { child, said, ended } = started(at(far, 'python', 'slow.py'), far.variables);
  await until(
    () => said.err.includes('Running the program'),
    () => said,
    120_000,
  );
  child.kill('SIGINT');
  await ended;
  assert.match(said.out, /It was canceled\./, said.err);
  leavesNothing(far);
}

/** The same answer as on this machine. */
async function answers(far: Far): Promise<void> {
  const here = await profiled(['--json', '--python', PYTHON, '--', 'python', 'train.py']);
  const there = await profiled(['--json', ...at(far, 'python', 'train.py')], far.variables);
  const [one, other] = [here, there].map(({ out, err }) => {
    assert.notEqual(out, '', err);
    return JSON.parse(out) as Told;
  });
  assert.equal(one?.place, null);
  assert.equal(other?.place, far.name);
  assert.equal(other.how, 'finished');
  assert.equal(other.peak.bytes, one.peak.bytes);
  leavesNothing(far);
}

describe('a program run dry as a job', function () {
  this.timeout(300_000);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'headroom-dry-job-'));
    work = join(folder, 'work');
    cpSync(SAMPLE, work, { recursive: true });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

  describe('over SSH', () => {
    let bench: SshBench;
    let home = '';
    let far: Far;
    const reason = whyNoSshd();

    before(async function () {
      skipFor(reason, this);
      bench = new SshBench();
      home = join(bench.folder, 'home');
      mkdirSync(home);
      await bench.serve('far', null, { environment: { HOME: home } });
      const words = ['--host', 'far', '--ssh-config', bench.configFile];
      far = { words, variables: {}, jobs: join(home, '.headroom/jobs'), name: 'far' };
    });
    after(async () => {
      if (reason === null) await bench.end();
    });

    it('answers as on this machine', () => answers(far));
    it('ends and is removed when it is canceled', () => canceled(far));

    it('writes, downloads and starts nothing there, and gets no secret', async () => {
      writeFileSync(join(work, 'wild.py'), WILD);
      writeFileSync(join(work, '.env'), 'TOKEN=hf_not_for_others\n');
      const outside = join(folder, 'outside');
      mkdirSync(outside);
      const words = ['HF_TOKEN=hf_0123456789', 'python', 'wild.py', outside, 'http://127.0.0.1:1/'];
      const { out, err } = await profiled(['--json', ...at(far, ...words)], { SECRET_OF_MINE: 'x' });
      assert.notEqual(out, '', err);
      const { refused } = JSON.parse(out) as Told;
      const whats = refused.map(({ what }) => what);
      assert.deepEqual(whats.toSorted(), ['connections', 'other processes', 'start of touch']);
      assert.deepEqual(readdirSync(outside), []);
      assert.deepEqual(readdirSync(home), ['.headroom']);
      leavesNothing(far);
    });

    it('says when time is up, and when it never trains', async () => {
      writeFileSync(join(work, 'slow.py'), SLOW);
      writeFileSync(join(work, 'never.py'), NEVER_TRAINS);
      const late = await profiled(['--timeout', '3', ...at(far, 'python', 'slow.py')]);
      assert.match(late.out, /^Can't profile this program \(far\): no optimizer stepped within 3 s\.$/m);
      const never = await profiled(at(far, 'python', 'never.py'));
      assert.match(never.out, /^Can't profile this program \(far\): it ended without a training step\.$/m);
      leavesNothing(far);
    });

    it('ends with the process that started it there', async () => {
      writeFileSync(join(work, 'slow.py'), SLOW);
      const { said, ended } = started(at(far, 'python', 'slow.py'));
      await until(
        () => said.err.includes('Running the program'),
        () => said,
        120_000,
      );
      const [keeper = 0] = processesWith(join(home, '.headroom/jobs')).filter(
        pid => withDescendants(pid).length > 2,
      );
      const [, first = 0] = withDescendants(keeper);
      signal([first], 'SIGKILL');
      await ended;
      assert.match(said.out, /^Can't profile this program \(far\): /m);
      leavesNothing(far);
    });

    it('uses a folder there with its own Python, and is kept for its run with its place', async () => {
      const there = join(home, 'project');
      cpSync(SAMPLE, there, { recursive: true });
      mkdirSync(join(there, '.venv/bin'), { recursive: true });
      writeFileSync(join(there, '.venv/bin/python'), `#!/bin/sh\nexec ${PYTHON} "$@"\n`, { mode: 0o755 });
      cpSync('test/fixtures/profile/own.yaml', join(work, 'train.yaml'));
      const words = [...far.words, '--remote-folder', '~/project', 'train.yaml', '--', 'python', 'train.py'];
      const { out, err } = await profiled(words);
      assert.match(out, /dry run \(far\): /, err);
      assert.match(err, /Python: .*\/project\/\.venv\/bin\/python/);
      const kept = readMeasurements(readFileSync(join(work, '.headroom/measurements.jsonl'), 'utf8'));
      const [one] = kept.measurements;
      assert.deepEqual([one?.source, one?.place, one?.program?.folder], ['dry run', 'far', '.']);
      assert.deepEqual(Object.keys(one?.program?.files ?? {}), ['net.py', 'small.json', 'train.py']);
      leavesNothing(far);
      rmSync(there, { recursive: true });
    });
  });

  it('runs in Slurm through a login node', async function () {
    skipFor(whyNoSlurm() ?? whyNoSshd(), this);
    const slurm = new Slurm(18_520);
    const bench = new SshBench();
    try {
      await slurm.start();
      const home = join(slurm.folder, 'home');
      mkdirSync(home);
      await bench.serve('login', null, { environment: { SLURM_CONF: slurm.conf, HOME: home } });
      const words = ['--slurm', 'login', '--partition', 'gpu', '--ssh-config', bench.configFile];
      const jobs = join(home, '.headroom/jobs');
      const far = { words, variables: {}, jobs, name: 'Slurm, partition gpu, through login' };
      await answers(far);
      await canceled(far);
      assert.equal(slurm.run('squeue', '-h'), '');
    } finally {
      await bench.end();
      await slurm.end();
    }
    assert.deepEqual(processesWith(slurm.folder), []);
  });

  it('runs in Ray', async function () {
    skipFor(whyNoRay(), this);
    const ray = new Ray(29_480, 4);
    try {
      await ray.start();
      const variables = { RAY_AUTH_TOKEN: ray.token };
      const far = { words: ['--ray', ray.address], variables, jobs: null, name: `Ray at ${ray.address}` };
      await answers(far);
      await canceled(far);
    } finally {
      await ray.end();
    }
    assert.deepEqual(processesWith(ray.folder), []);
  });

  it('uses the folder of this machine’s Slurm in place', async function () {
    skipFor(whyNoSlurm(), this);
    const slurm = new Slurm(18_540);
    try {
      await slurm.start();
      const variables = { SLURM_CONF: slurm.conf };
      const { out, err } = await profiled(
        ['--slurm', '--python', PYTHON, '--', 'python', 'train.py'],
        variables,
      );
      assert.match(out, /dry run \(Slurm\): /, err);
      assert.match(err, /copies no code/);
      leavesNothing({ words: [], variables, jobs: null, name: 'Slurm' });
    } finally {
      await slurm.end();
    }
  });
});
