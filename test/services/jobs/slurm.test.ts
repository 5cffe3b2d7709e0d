import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { SlurmEngine } from '../../../src/jobs/engines/slurm';
import { newJobId } from '../../../src/jobs/id';
import type { JobPlace, JobRecord, JobState } from '../../../src/jobs/job';
import { SLURM_FUNCTIONS } from '../../../src/jobs/slurm/script';
import { HOST_FUNCTIONS } from '../../../src/jobs/remote/hostScript';
import { peakOf, peaksOf } from '../../../src/jobs/remote/watched';
import { Gate } from '../../../src/remote/gate';
import { Shells } from '../../../src/remote/shells';
import { SSH_DEFAULTS } from '../../../src/remote/sshArguments';
import { fakeGpus } from '../../jobs/fakeGpus';
import { pause, processesWith, signal, until } from '../processes';
import { Slurm, whyNoSlurm } from '../slurm/slurm';
import { SshBench, whyNoSshd } from '../ssh/sshd';
import type { Sshd } from '../ssh/sshd';
import { recordOf } from './record';
import { skipFor } from '../../skipFor';

const BASE_PORT = 17_870;
const MIB = 2 ** 20;
const NEVER_ABORTED = { aborted: false };
const HERE: JobPlace = { engine: 'slurm', alias: null, partition: 'gpu' };

describe('services: Slurm jobs', function () {
  this.timeout(120_000);
  let slurm: Slurm;
  let bench: SshBench | null = null;
  let server: Sshd;
  let work: string;
  let shells: Shells;
  let engine: SlurmEngine;
  const reason = whyNoSlurm() ?? whyNoSshd();
  const before_ = { conf: process.env['SLURM_CONF'], home: process.env['HOME'] };

  before(async function () {
    skipFor(reason, this);
    slurm = new Slurm(BASE_PORT, ['PartitionName=mixed Nodes=gpu1,mig1 State=UP']);
    await slurm.start();
    const home = join(slurm.folder, 'home');
    mkdirSync(home);
    process.env['SLURM_CONF'] = slurm.conf;
    process.env['HOME'] = home;
    bench = new SshBench();
    server = await bench.serve('login', null, { environment: { SLURM_CONF: slurm.conf, HOME: home } });
  });

  beforeEach(() => {
    work = mkdtempSync(join(tmpdir(), 'headroom-work-'));
    shells = shellsNow();
    engine = new SlurmEngine({ shells, mostCopyBytes: 1e6, now: Date.now });
  });

  function shellsNow(): Shells {
    const program = { ...SSH_DEFAULTS, configFile: bench?.configFile ?? null };
    const room = { program, platform: process.platform, gate: new Gate(4), lingerMs: 2000 };
    return new Shells(room, HOST_FUNCTIONS + SLURM_FUNCTIONS);
  }

  afterEach(() => {
    slurm.run('scancel', '--me'); // What a failed case leaves would keep the next ones waiting.
    shells.dispose();
    rmSync(work, { recursive: true, force: true });
  });

  after(async () => {
    if (before_.conf === undefined) delete process.env['SLURM_CONF'];
    else process.env['SLURM_CONF'] = before_.conf;
    if (before_.home !== undefined) process.env['HOME'] = before_.home;
    if (reason !== null) return;
    await bench?.end();
    await slurm.end();
    assert.deepEqual(processesWith(slurm.folder), []);
  });

  const job = (script: string, more: Partial<JobRecord> = {}, place = HERE) =>
    recordOf(place, ['sh', '-c', script, 'it'], { folder: work, gpus: gpus(1), ...more });

  const gpus = (count: number) => ({ count, uuids: [], needBytes: null });

  const limits = (more: Partial<JobRecord['limits']>): JobRecord['limits'] => ({
    timeMinutes: 5,
    cpus: 1,
    memoryMiB: 10,
    array: null,
    requeue: false,
    ...more,
  });

  async function started(record: JobRecord): Promise<JobRecord> {
    const handle = await engine.start(record, { TOKEN: 'hunter2' }, () => Promise.resolve(), NEVER_ABORTED);
    return { ...record, handle };
  }

  async function reaches(record: JobRecord, ...states: readonly JobState[]) {
    const end = Date.now() + 40_000;
    for (;;) {
      const seen = await engine.look(record, NEVER_ABORTED);
      if (states.includes(seen.state)) return seen;
      if (Date.now() > end) throw new Error(`Still ${JSON.stringify(seen)}`);
      await pause(200);
    }
  }

  const output = async (record: JobRecord) =>
    Buffer.from((await engine.read(record, 0, NEVER_ABORTED)).bytes).toString();

  it("keep the readings of their node's GPUs, and what they hold on them", async () => {
    const tools = join(work, 'tools');
    const { holding } = fakeGpus(tools, 24 * 1024, ['GPU-1', 'GPU-2']);
    // Slurm gives indexes; the stand-in knows UUIDs only.
    const argv = ['env', 'CUDA_VISIBLE_DEVICES=GPU-2', process.execPath, '-e', holding(9000, 60_000)];
    const PATH = [tools, dirname(process.execPath), process.env['PATH']].join(delimiter);
    const one = await started({ ...job('', { environment: { PATH } }), argv });
    while (peakOf(await engine.samples(one, NEVER_ABORTED)) === null) await pause(300);
    const samples = await engine.samples(one, NEVER_ABORTED);
    assert.equal(peakOf(samples)?.bytes, 9000 * 2 ** 20);
    assert.deepEqual(
      samples.at(-1)?.gpus.map(({ uuid }) => uuid),
      ['GPU-2'],
    );
    await engine.stop(one, 'terminate', NEVER_ABORTED);
    await reaches(one, 'stopped');
  });

  it('keep what each task of an array holds, and what a neighboring job holds', async () => {
    const tools = join(work, 'tools');
    const { holding } = fakeGpus(tools, 24 * 1024, ['GPU-1', 'GPU-2', 'GPU-10', 'GPU-11']);
    const amounts: Readonly<Record<number, number>> = { 1: 1000, 2: 2000, 10: 10_000, 11: 11_000 };
    for (const [task, mib] of Object.entries(amounts)) {
      writeFileSync(join(tools, `${task}.js`), holding(mib, 60_000));
    }
    const PATH = [tools, dirname(process.execPath), process.env['PATH']].join(delimiter);
    const script = '[ -e "$2/$1.js" ] || exit 0; CUDA_VISIBLE_DEVICES=GPU-$1 exec node "$2/$1.js"';
    const asked = (task: string, array: number | null) =>
      recordOf(HERE, ['sh', '-c', script, 'it', task, tools], {
        folder: work,
        gpus: gpus(1),
        limits: limits({ array }),
        environment: { PATH },
      });
    // Task 1 must not be confused with task 10, nor any of them with the other job, which runs on the same machine.
    const array = await started(asked('{shard}', 10));
    const alone = await started(asked('11', null));
    const peaks = async (record: JobRecord) =>
      peaksOf(await engine.samples(record, NEVER_ABORTED)).map(peak => [peak.task ?? null, peak.bytes / MIB]);
    while ((await peaks(array)).length < 3 || (await peaks(alone)).length < 1) await pause(300);
    await pause(6000);
    assert.deepEqual(await peaks(array), [
      ['1', 1000],
      ['2', 2000],
      ['10', 10_000],
    ]);
    assert.deepEqual(await peaks(alone), [[null, 11_000]]);
    for (const one of [array, alone]) await engine.stop(one, 'terminate', NEVER_ABORTED);
    for (const one of [array, alone]) await reaches(one, 'stopped');
  });

  it('show their request, are submitted, and report output and end', async () => {
    const record = job('echo "$CUDA_VISIBLE_DEVICES $X $TOKEN"; pwd; exit 4', {
      environment: { X: "it's" },
      gpus: gpus(2),
      limits: limits({}),
    });
    const [line] = await engine.plan(record, NEVER_ABORTED);
    assert.match(
      line ?? '',
      /--partition=gpu --nodes=1 --ntasks=1 --gres=gpu:2 --cpus-per-task=1 --mem=10M --time=5/,
    );
    const one = await started(record);
    const seen = await reaches(one, 'failed');
    assert.deepEqual(seen.exit, { code: 4, signal: null, reason: null });
    assert.equal(await output(one), `0,1 it's hunter2\n${work}\n`);
    const folder = join(slurm.folder, 'home/.headroom/jobs', one.id);
    assert.equal(readFileSync(join(folder, 'script'), 'utf8').includes('hunter2'), false);
  });

  it('request GPUs of a type, and get one of several types of a partition', async () => {
    const mixed: JobPlace = { ...HERE, partition: 'mixed' };
    const of = (type: string, count: number) =>
      job(
        'echo "$SLURMD_NODENAME $CUDA_VISIBLE_DEVICES"',
        { gpus: { ...gpus(count), type }, limits: limits({}) },
        mixed,
      );
    const given = async (type: string, count: number) => {
      const one = await started(of(type, count));
      await reaches(one, 'succeeded', 'failed');
      const asked = slurm.run('scontrol', '-o', 'show', 'job', String(one.handle?.['slurm']));
      return [/TresPerNode=(\S+)/.exec(asked)?.[1], await output(one)];
    };
    assert.deepEqual(await given('a100', 2), ['gres:gpu:a100:2', 'gpu1 0,1\n']);
    assert.deepEqual(await given('a100_1g.10gb', 1), ['gres:gpu:a100_1g.10gb:1', 'mig1 0\n']);
    const [line] = await engine.plan(of('a100_1g.10gb', 1), NEVER_ABORTED);
    assert.match(line ?? '', / --gres=gpu:a100_1g\.10gb:1 /);
    await assert.rejects(() => started(of('h100', 1)), {
      kind: 'refused',
      message: /^Slurm refused: Requested node configuration/,
    });
    await assert.rejects(() => started(of('a100:1,license:9', 1)), { message: /isn't a valid GPU type/ });
  });

  it('run an array of shards, and count them', async () => {
    const record = recordOf(
      HERE,
      ['sh', '-c', 'echo "shard $1"; sleep 2; [ "$1" != 3/4 ]', 'it', '{shard}/4'],
      {
        folder: work,
        gpus: gpus(1),
        limits: limits({ array: 4 }),
      },
    );
    const one = await started(record);
    assert.match((await reaches(one, 'running')).message ?? '', /^\d of 4 tasks run, \d wait\./);
    const seen = await reaches(one, 'failed', 'succeeded');
    assert.equal(seen.message, '1 of 4 tasks failed: 3 (FAILED).');
    assert.equal(seen.exit?.code, 1);
    assert.deepEqual((await output(one)).trim().split('\n').sort(), [
      'shard 1/4',
      'shard 2/4',
      'shard 3/4',
      'shard 4/4',
    ]);
  });

  it('say why they wait, and stop while waiting or running', async () => {
    const first = await started(
      job('trap "echo bye; exit 9" INT; while :; do sleep 0.1; done', { gpus: gpus(8), limits: limits({}) }),
    );
    await reaches(first, 'running');
    const second = await started(job('sleep 60', { gpus: gpus(8), limits: limits({}) }));
    const third = await started(job('sleep 60', { gpus: gpus(8), limits: limits({}) }));
    let waiting = await reaches(third, 'queued');
    for (; waiting.message === null; waiting = await reaches(third, 'queued')) await pause(200);
    assert.match(waiting.message, /^(Resources: waits until enough|Priority: waits behind)/);
    await engine.stop(third, 'interrupt', NEVER_ABORTED);
    assert.equal((await reaches(third, 'stopped')).exit?.reason, 'CANCELLED');
    await engine.stop(first, 'interrupt', NEVER_ABORTED);
    const seen = await reaches(first, 'stopped');
    assert.equal(seen.exit?.code, 9);
    assert.match(await output(first), /bye/);
    await reaches(second, 'running');
    await engine.stop(second, 'terminate', NEVER_ABORTED);
    await reaches(second, 'stopped');
  });

  it('stop a whole array, running and waiting tasks', async () => {
    const argv = ['sh', '-c', 'trap "echo bye $1; exit 9" INT; while :; do sleep 0.1; done', 'it', '{shard}'];
    const request = { folder: work, gpus: gpus(8), limits: limits({ array: 4 }) };
    const one = await started(recordOf(HERE, argv, request));
    // Two nodes with eight GPUs: two of four jobs run.
    let seen = await reaches(one, 'running');
    while (!seen.message?.startsWith('2 of 4 tasks run, 2 wait.')) {
      await pause(200);
      seen = await reaches(one, 'running');
    }
    await engine.stop(one, 'interrupt', NEVER_ABORTED);
    assert.equal((await reaches(one, 'stopped')).message, null);
    const said = (await output(one))
      .trim()
      .split('\n')
      .filter(line => line.startsWith('bye'));
    assert.equal(said.length, 2, said.join());
    assert.equal(slurm.run('squeue', '-h', '-j', String(one.handle?.['slurm']), '-o', '%t'), '');
  });

  it('avoid the machines that they are told to avoid, while others exist', async () => {
    const on = async (avoid: readonly string[], place = HERE): Promise<string | undefined> => {
      const one = await started(job('echo "$SLURMD_NODENAME"', { limits: { ...limits({}), avoid } }, place));
      const machine = (await reaches(one, 'succeeded')).machines?.[0];
      assert.equal(machine, (await output(one)).trim());
      return machine;
    };
    assert.equal(await on(['gpu1']), 'gpu2');
    assert.equal(await on(['gpu2', 'no such; name']), 'gpu1');
    // No node would be left: it runs where it can.
    assert.match((await on(['gpu1', 'gpu2'])) ?? '', /^gpu[12]$/);
    assert.equal(await on(['mig1'], { ...HERE, partition: 'mig' }), 'mig1');
    assert.equal(await on(['gpu1'], { ...HERE, partition: null }), 'gpu2');
  });

  it('are requeued with their output kept', async () => {
    const one = await started(job('echo begins; sleep 60', { limits: limits({ requeue: true }) }));
    await reaches(one, 'running');
    while (!(await output(one)).includes('begins')) await pause(100);
    slurm.run('scontrol', 'requeue', String(one.handle?.['slurm']));
    const seen = await reaches(one, 'queued');
    assert.match(seen.message ?? '', /It was requeued/);
    assert.match(await output(one), /^begins/);
    await engine.stop(one, 'kill', NEVER_ABORTED);
    await reaches(one, 'stopped');
  });

  it('are submitted once, and found again by name if their id was lost', async () => {
    const record = job('echo once', { limits: limits({}) });
    const one = await started(record);
    await started(record);
    rmSync(join(slurm.folder, 'home/.headroom/jobs', one.id, 'slurm'));
    await reaches(one, 'succeeded');
    assert.equal(await output(one), 'once\n');
    // Slurm forgets; the script's own record remains.
    writeFileSync(join(slurm.folder, 'home/.headroom/jobs', one.id, 'slurm'), '999999\n');
    const seen = await engine.look(one, NEVER_ABORTED);
    assert.deepEqual([seen.state, seen.exit?.code], ['succeeded', 0]);
  });

  it("report impossible requests in Slurm's words", async () => {
    const big = job('true', { gpus: gpus(64), limits: limits({}) });
    await assert.rejects(() => started(big), {
      kind: 'refused',
      message: /^Slurm refused: Requested node configuration/,
    });
    const nowhere = job('true', {}, { ...HERE, partition: 'moon' });
    await assert.rejects(() => engine.plan(nowhere, NEVER_ABORTED), {
      message: /no partition moon; choose one of gpu, mig, old/,
    });
    const option = job('true', {}, { ...HERE, partition: 'gpu\n#SBATCH --uid=0' });
    await assert.rejects(() => started(option), { kind: 'refused' });
  });

  it('are submitted through a login node, from a copy of the folder', async () => {
    writeFileSync(join(work, 'data.txt'), 'copied');
    const place: JobPlace = { engine: 'slurm', alias: 'login', partition: 'gpu' };
    const one = await started(job('cat data.txt; echo result >out.txt', { limits: limits({}) }, place));
    await reaches(one, 'succeeded');
    assert.equal(await output(one), 'copied');
    assert.deepEqual(await engine.fetch(one, join(work, 'back'), NEVER_ABORTED), ['out.txt']);
    await engine.clean(one, NEVER_ABORTED);
  });

  it('start in a named folder behind the login node, without a copy', async () => {
    const folder = join(slurm.folder, 'home/there');
    mkdirSync(folder);
    writeFileSync(join(folder, 'data.txt'), 'there already');
    const place: JobPlace = { engine: 'slurm', alias: 'login', partition: 'gpu', folder: '~/there' };
    const record = job('cat data.txt; echo result >out.txt', { limits: limits({}) }, place);
    const plan = await engine.plan(record, NEVER_ABORTED);
    assert.match(plan.join('\n'), /Starts in ~\/there on the cluster of login; nothing is copied\./);
    const one = await started(record);
    await reaches(one, 'succeeded');
    assert.equal(await output(one), 'there already');
    assert.equal(existsSync(join(slurm.folder, 'home/.headroom/jobs', one.id, 'work')), false);
    assert.deepEqual(await engine.fetch(one, join(work, 'back'), NEVER_ABORTED), ['out.txt']);
    await engine.clean(one, NEVER_ABORTED);
    assert.ok(existsSync(join(folder, 'out.txt')));
  });

  it('have files copied to where several jobs can use them, however large', async () => {
    writeFileSync(join(work, 'model.bin'), Buffer.alloc(1_500_000, 'm'));
    writeFileSync(join(work, 'other'), '');
    const login: JobPlace = { engine: 'slurm', alias: 'login', partition: 'gpu' };
    await assert.rejects(
      () => engine.bring(login, newJobId(Date.now()), { folder: work, files: null }, NEVER_ABORTED),
      { message: /1\.5 MB to copy; the limit is 1\.0 MB/ },
    );
    const brought = { folder: work, files: ['model.bin'] };
    const folder = await engine.bring(login, newJobId(Date.now()), brought, NEVER_ABORTED);
    const one = await started(job('ls; wc -c <model.bin', { limits: limits({}) }, { ...login, folder }));
    await reaches(one, 'succeeded');
    assert.equal(await output(one), 'model.bin\n1500000\n');
    assert.equal(await engine.bring(HERE, newJobId(Date.now()), brought, NEVER_ABORTED), work);
  });

  it('continue behind an unreachable login node, and another client finds them', async () => {
    const place: JobPlace = { engine: 'slurm', alias: 'login', partition: 'gpu' };
    const script = 'echo up; until [ -e "$HOME/go" ]; do sleep 0.1; done; echo on';
    const one = await started(job(script, { limits: limits({}) }, place));
    await reaches(one, 'running');
    signal(server.sessions(), 'SIGKILL');
    await server.stop();
    await assert.rejects(() => engine.look(one, NEVER_ABORTED), { kind: 'unreachable' });
    writeFileSync(join(slurm.folder, 'home/go'), '');
    const number = String(one.handle?.['slurm']);
    const state = () => slurm.run('scontrol', '-o', 'show', 'job', number);
    await until(() => state().includes('JobState=COMPLETED'), state);
    await server.start();
    shells.dispose();
    shells = shellsNow();
    engine = new SlurmEngine({ shells, mostCopyBytes: 1e6, now: Date.now });
    // A later process knows only the record, as it was before the job id was returned.
    const seen = await engine.look({ ...one, handle: null }, NEVER_ABORTED);
    assert.deepEqual([seen.state, seen.exit?.code], ['succeeded', 0]);
    assert.equal(await output(one), 'up\non\n');
  });

  it('do not take silence for an end', async () => {
    const one = await started(job('sleep 30', { limits: limits({}) }));
    await reaches(one, 'running');
    slurm.stopController();
    const seen = await engine.look(one, NEVER_ABORTED);
    assert.equal(seen.state, 'unknown');
    assert.match(seen.message ?? '', /controller is unreachable/);
  });
});
