import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
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
import { setTimeout as pause } from 'node:timers/promises';
import { converse } from '../../src/profile/script';
import { ProbeReader } from '../../src/profile/probe';
import { readMeasurements } from '../../src/core/learn/readMeasurements';
import { processesWith } from '../services/processes';
import { Ray, whyNoRay } from '../services/ray/ray';
import { Slurm, whyNoSlurm } from '../services/slurm/slurm';
import { SshBench, whyNoSshd } from '../services/ssh/sshd';
import { skipFor } from '../skipFor';

const PYTHON = process.env['HEADROOM_TEST_PYTHON'] ?? 'python3';
const CLI = resolve('dist/cli.js');
const START = resolve('src/python/start.py');
const MIB = 2 ** 20;

let folder = '';

/** A simulated GPU of a given size: tensors on the CPU are counted instead. */
function counted(totalMiB: number, busyMiB: number): string {
  const device = join(folder, 'device.py');
  const text = readFileSync('test/fixtures/profile/counted_device.py', 'utf8');
  writeFileSync(device, text.replace(/^FOLDER = .*$/m, `FOLDER = ${JSON.stringify(folder)}`));
  writeFileSync(join(folder, 'gpu.json'), JSON.stringify({ totalMiB, busyMiB }));
  return device;
}

const had = (): readonly number[] =>
  readFileSync(join(folder, 'had.txt'), 'utf8').trim().split('\n').map(Number);

/** A config, and the code of a user's own model next to it. */
function workspace(): string {
  const work = join(folder, 'work');
  mkdirSync(work);
  cpSync('test/fixtures/profile/own_model.py', join(work, 'own_model.py'));
  cpSync('test/fixtures/profile/own.yaml', join(work, 'train.yaml'));
  return work;
}

const environment = (device: string | null): NodeJS.ProcessEnv => ({
  ...process.env,
  HOME: folder,
  HEADROOM_STATE: join(folder, 'state'),
  XDG_DATA_HOME: join(folder, 'data'),
  NO_COLOR: '1',
  ...(device !== null && { HEADROOM_PROBE_DEVICE: device }),
});

/**
 * Room for the first try and not for one row more: where a probe runs is what these tests ask; the first of them, and
 * test/jobs/probe.test.ts, ask how it searches.
 */
const ROOM = [105, 50] as const;

const WORDS = ['profile', 'train.yaml', '--probe', '--entry', 'own_model:small', '--python', PYTHON];

function probed(work: string, device: string | null, ...more: readonly string[]) {
  const args = [CLI, ...WORDS, ...more];
  const run = spawnSync(process.execPath, args, { cwd: work, env: environment(device), encoding: 'utf8' });
  return { code: run.status, out: run.stdout, err: run.stderr };
}

interface Told {
  readonly rows: number;
  readonly allowedBytes: number;
  readonly tries: readonly {
    rows: number;
    ran: boolean;
    reservedBytes: number;
    peak: { terms: Record<string, number> };
  }[];
}

describe('a probe in a real Python', () => {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'headroom-probe-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

  it('refuses a machine without a GPU, in a sentence', async () => {
    const request = { protocol: 1, task: 'probe', rows: 1, model: { kind: 'entry' } };
    const environment = { CUDA_VISIBLE_DEVICES: '' };
    const asked = { request, folder: null, timeoutMs: 60_000, environment, progress: () => undefined };
    await assert.rejects(converse({ executable: PYTHON, script: START }, asked, { aborted: false }), {
      kind: 'cannot',
      message: 'there is no CUDA GPU here: a probe makes real steps (a dry run needs none).',
    });
  });

  it('runs as a job, finds the largest batch below 90 % of the free memory, and says where the estimate was off', () => {
    const work = workspace();
    const { code, out, err } = probed(work, counted(130, 10), '--json');
    assert.equal(code, 0, err);
    const { rows, allowedBytes, tries } = JSON.parse(out) as Told;
    assert.equal(allowedBytes, Math.floor(120 * MIB * 0.9));
    assert.ok(tries.length <= 8 && had().every(bytes => bytes <= allowedBytes));
    assert.ok(tries.every(one => one.rows <= rows || !one.ran));
    const [first] = tries;
    assert.ok(first?.ran);
    // Four layers of 256 × 256 and a head of 10, in fp32.
    const weights = 4 * (4 * (256 * 256 + 256) + 10 * 256 + 10);
    assert.ok(Math.abs((first.peak.terms['weights'] ?? 0) / weights - 1) < 0.01);
    assert.ok(Math.abs((first.peak.terms['optimizer states'] ?? 0) / (2 * weights) - 1) < 0.01);
    const kept = readMeasurements(
      readFileSync(join(work, '.headroom/measurements.jsonl'), 'utf8'),
    ).measurements;
    assert.ok(
      kept.some(
        one => one.source === 'probe' && one.metric === 'reserved' && one.bytes === first.reservedBytes,
      ),
    );
    assert.deepEqual(readdirSync(join(folder, 'state/probes')), []);
  });

  it("measures in one of torchrun's ranks, in its own process group", () => {
    const device = counted(200, 50);
    const model = {
      kind: 'entry',
      entry: 'own_model:distributed',
      folder: resolve('test/fixtures/profile'),
      settings: {},
    };
    const one = {
      protocol: 1,
      task: 'probe',
      model,
      head: 'own',
      training: true,
      wanted: 8,
      rows: null,
      device,
      accumulates: false,
    };
    const request = join(folder, 'request.json');
    writeFileSync(
      request,
      JSON.stringify({ protocol: 1, task: 'search', trials: 1, timeoutSeconds: 100, try: one }),
    );
    const args = ['-m', 'torch.distributed.run', '--standalone', '--nproc_per_node', '2', START, request];
    const run = spawnSync(PYTHON, args, { encoding: 'utf8' });
    const reader = new ProbeReader(() => undefined);
    reader.push(run.stdout);
    assert.equal(run.status, 0, run.stderr);
    assert.equal(reader.problem, null);
    assert.deepEqual(
      reader.tries.map(({ rows, ran }) => [rows, ran]),
      [[8, true]],
    );
    assert.equal(had().length, 1);
  });

  it('leaves nothing behind when its client is killed', async () => {
    const args = [CLI, ...WORDS];
    const work = workspace();
    const client = spawn(process.execPath, args, {
      cwd: work,
      env: environment(counted(20_000, 50)),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    client.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    while (!said.includes('Two steps')) await pause(50);
    assert.ok(processesWith(join(folder, 'state/probes')).length > 0);
    client.kill('SIGKILL');
    while (processesWith(join(folder, 'state/probes')).length > 0) await pause(50);
    // The process that removes the folder may end last.
    while (readdirSync(join(folder, 'state/probes')).length > 0) await pause(50);
  });

  it('runs on a host over SSH with the code that it needs, and leaves nothing there', async function () {
    const reason = whyNoSshd();
    skipFor(reason, this);
    const bench = new SshBench();
    try {
      const home = join(bench.folder, 'home');
      mkdirSync(home);
      await bench.serve('far', null, { environment: { HOME: home } });
      const { code, out, err } = await later(workspace(), counted(...ROOM), [
        '--json',
        '--host',
        'far',
        '--ssh-config',
        bench.configFile,
      ]);
      assert.equal(code, 0, err);
      const { rows, tries } = JSON.parse(out) as Told;
      assert.ok(rows > 0 && tries.length <= 8);
      const jobs = join(home, '.headroom/jobs');
      assert.deepEqual(existsSync(jobs) ? readdirSync(jobs) : [], []);
      assert.deepEqual(readdirSync(join(folder, 'state/probes')), []);
    } finally {
      await bench.end();
    }
  });
});

describe('a probe on a cluster', function () {
  this.timeout(300_000);
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'headroom-probe-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

  /** The largest batch is found there and kept here, and no files remain. */
  async function isFoundBy(words: readonly string[], variables: NodeJS.ProcessEnv): Promise<void> {
    const work = workspace();
    const { code, out, err } = await later(work, counted(...ROOM), ['--json', ...words], variables);
    assert.equal(code, 0, err);
    const { rows, allowedBytes, tries } = JSON.parse(out) as Told;
    assert.ok(rows > 0 && tries.length <= 8 && had().every(bytes => bytes <= allowedBytes));
    assert.ok(tries.every(one => one.rows <= rows || !one.ran));
    assert.match(readFileSync(join(work, '.headroom/measurements.jsonl'), 'utf8'), /"source":"probe"/);
    assert.deepEqual(readdirSync(join(folder, 'state/probes')), []);
    assert.deepEqual(readdirSync(join(folder, 'state/jobs')), []);
    while (processesWith(join(folder, 'state')).length > 0) await pause(50);
  }

  it('runs as a Slurm job', async function () {
    const reason = whyNoSlurm();
    skipFor(reason, this);
    const slurm = new Slurm(18_500);
    try {
      await slurm.start();
      await isFoundBy(['--slurm', '--partition', 'gpu'], { SLURM_CONF: slurm.conf });
    } finally {
      await slurm.end();
    }
    assert.deepEqual(processesWith(slurm.folder), []);
  });

  it('runs as a Ray job', async function () {
    const reason = whyNoRay();
    skipFor(reason, this);
    const ray = new Ray(29_460, 4);
    try {
      await ray.start();
      await isFoundBy(['--ray', ray.address], { RAY_AUTH_TOKEN: ray.token });
    } finally {
      await ray.end();
    }
    assert.deepEqual(processesWith(ray.folder), []);
  });
});

/** Without blocking the server, which is this process's child. */
function later(
  work: string,
  device: string,
  more: readonly string[],
  variables: NodeJS.ProcessEnv = {},
): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [CLI, ...WORDS, ...more], {
    cwd: work,
    env: { ...environment(device), ...variables },
  });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  return new Promise(done => child.once('close', code => done({ code, out, err })));
}
