import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { StopRung } from '../../../src/jobs/engine';
import { SshEngine } from '../../../src/jobs/engines/ssh';
import type { JobRecord, JobState } from '../../../src/jobs/job';
import { Gate } from '../../../src/remote/gate';
import { HOST_FUNCTIONS } from '../../../src/jobs/remote/hostScript';
import { peakOf } from '../../../src/jobs/remote/watched';
import { Shells } from '../../../src/remote/shells';
import { SSH_DEFAULTS } from '../../../src/remote/sshArguments';
import { fakeGpus } from '../../jobs/fakeGpus';
import type { FakeGpus } from '../../jobs/fakeGpus';
import { findProgram, installed, pause, processesWith, signal } from '../processes';
import { SshBench, whyNoSshd } from '../ssh/sshd';
import type { Sshd } from '../ssh/sshd';
import { recordOf } from './record';
import { skipFor } from '../../skipFor';

const NEVER_ABORTED = { aborted: false };

describe('services: SSH jobs', function () {
  this.timeout(90_000);
  let bench: SshBench;
  let server: Sshd;
  let home: string;
  let gpus: FakeGpus;
  let work: string;
  let shells: Shells;
  let engine: SshEngine;
  const reason = whyNoSshd();

  before(async function () {
    skipFor(reason, this);
    bench = new SshBench();
    home = join(bench.folder, 'home');
    mkdirSync(home);
    const tools = join(bench.folder, 'tools');
    gpus = fakeGpus(tools, 24 * 1024, ['GPU-1', 'GPU-2']);
    const path = [tools, dirname(process.execPath), process.env['PATH']].join(delimiter);
    server = await bench.serve('far', null, { path, environment: { HOME: home } });
  });

  beforeEach(() => {
    work = mkdtempSync(join(tmpdir(), 'headroom-work-'));
    shells = new Shells(
      {
        program: { ...SSH_DEFAULTS, configFile: bench.configFile },
        platform: process.platform,
        gate: new Gate(4),
        lingerMs: 2000,
      },
      HOST_FUNCTIONS,
    );
    engine = new SshEngine({ shells, mostCopyBytes: 1e6, now: Date.now });
  });

  afterEach(() => {
    shells.dispose();
    rmSync(work, { recursive: true, force: true });
  });

  after(async () => {
    if (reason !== null) return;
    await bench.end();
    assert.deepEqual(processesWith('HEADROOM_JOB=20261122-070000'), []);
  });

  const job = (script: string, more: Partial<JobRecord> = {}) =>
    recordOf({ engine: 'ssh', alias: 'far', folder: null }, ['sh', '-c', script, 'it'], {
      folder: work,
      ...more,
    });

  async function started(record: JobRecord, secrets: Record<string, string> = {}): Promise<JobRecord> {
    const noted: JobRecord['handle'][] = [];
    const note = (handle: JobRecord['handle']) => {
      noted.push(handle);
      return Promise.resolve();
    };
    const handle = await engine.start(record, secrets, note, NEVER_ABORTED);
    assert.deepEqual(noted, [handle]);
    return { ...record, handle };
  }

  async function reaches(record: JobRecord, ...states: readonly JobState[]) {
    const end = Date.now() + 20_000;
    for (;;) {
      const seen = await engine.look(record, NEVER_ABORTED);
      if (states.includes(seen.state)) return seen;
      if (Date.now() > end) throw new Error(`Still ${JSON.stringify(seen)}`);
      await pause(50);
    }
  }

  const output = async (record: JobRecord, from = 0) =>
    Buffer.from((await engine.read(record, from, NEVER_ABORTED)).bytes).toString();

  it('copy the folder, run there, and report output, end and times', async () => {
    writeFileSync(join(work, 'a b.txt'), 'hello');
    writeFileSync(join(work, '.gitignore'), 'secret.bin\n');
    writeFileSync(join(work, 'secret.bin'), 'no');
    symlinkSync('a b.txt', join(work, 'link'));
    const record = job('cat "$1"; ls -A; printf "%s\\n" "$X" "$CUDA_VISIBLE_DEVICES"; exit 3', {
      environment: { X: "it's\n$HOME" },
      gpus: { count: 1, uuids: ['GPU-1', 'GPU-2'], needBytes: null },
    });
    const argv = [...record.argv, join(work, 'link')];
    const lines = await engine.plan({ ...record, argv }, NEVER_ABORTED);
    assert.match(lines[0] ?? '', /^Copies 3 files \(16 B\) of .* to far:~\/\.headroom\/jobs\.$/);
    assert.deepEqual(lines.slice(1), ['Not copied: secret.bin (.gitignore).']);
    const one = await started({ ...record, argv });
    const seen = await reaches(one, 'failed');
    assert.deepEqual(seen.exit, { code: 3, signal: null, reason: null });
    assert.ok(Math.abs((seen.startedMs ?? 0) - Date.now()) < 30_000);
    assert.equal(await output(one), "hello.gitignore\na b.txt\nlink\nit's\n$HOME\nGPU-1,GPU-2\n");
    assert.equal(await output(one, 6), "gitignore\na b.txt\nlink\nit's\n$HOME\nGPU-1,GPU-2\n");
    await engine.clean(one, NEVER_ABORTED);
    assert.equal(existsSync(join(home, '.headroom/jobs', one.id)), false);
  });

  it("keep their GPUs' readings, and what they hold on them", async () => {
    const request = { gpus: { count: 1, uuids: ['GPU-2'], needBytes: null } };
    const argv = [process.execPath, '-e', gpus.holding(9000, 60_000)];
    const one = await started({ ...job('', request), argv });
    const watched = () => engine.samples(one, NEVER_ABORTED);
    let samples = await watched();
    // The GPUs are queried before their processes: the first time, the job may start in between.
    while (!samples.at(-1)?.gpus[0]?.usedBytes) {
      await pause(200);
      samples = await watched();
    }
    assert.deepEqual(peakOf(samples), {
      metric: 'device',
      bytes: 9000 * 2 ** 20,
      source: 'nvidia-smi by process',
    });
    const last = samples.at(-1);
    assert.ok(Math.abs((last?.timeMs ?? 0) - Date.now()) < 20_000);
    assert.deepEqual(
      last?.gpus.map(({ uuid, usedBytes, utilPct }) => [uuid, usedBytes, utilPct]),
      [['GPU-2', 9000 * 2 ** 20, null]],
    );
    await engine.stop(one, 'kill', NEVER_ABORTED);
    await reaches(one, 'stopped');
    while (processesWith(one.id).length > 0) await pause(100);
    // A new reader reads the same, all at once.
    const other = new SshEngine({ shells, mostCopyBytes: 1e6, now: Date.now });
    assert.ok((await other.samples(one, NEVER_ABORTED)).length >= samples.length);
    const none = await started(job('exit 0'));
    await reaches(none, 'succeeded');
    assert.deepEqual(await engine.samples(none, NEVER_ABORTED), []);
  });

  it('have secrets only in their environment', async () => {
    const one = await started(job('printf %s "$TOKEN" | wc -c; sleep 30'), { TOKEN: 'hunter2-hunter2' });
    await reaches(one, 'running');
    while ((await output(one)) === '') await pause(50);
    assert.match(await output(one), /^15$/m);
    const folder = join(home, '.headroom/jobs', one.id);
    for (const name of ['pid', 'output']) {
      assert.equal(readFileSync(join(folder, name), 'utf8').includes('hunter2'), false);
    }
    for (const pid of processesWith('hunter2-hunter2')) {
      assert.equal(readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('hunter2'), false);
    }
    await engine.stop(one, 'kill', NEVER_ABORTED);
    assert.equal((await reaches(one, 'stopped', 'lost')).state, 'stopped');
  });

  it('continue when the connection is cut, and are found again by another client', async () => {
    const one = await started(job('for i in 1 2 3 4 5 6 7 8; do echo $i; sleep 0.3; done'));
    await reaches(one, 'running');
    signal(server.sessions(), 'SIGKILL');
    const seen = await engine.look(one, NEVER_ABORTED).catch(() => null);
    assert.ok(seen === null || seen.state === 'running');
    await server.stop();
    await assert.rejects(() => engine.look(one, NEVER_ABORTED), { kind: 'unreachable', message: /refuses/ });
    await server.start();
    shells.dispose();
    assert.equal((await reaches(one, 'succeeded')).exit?.code, 0);
    assert.equal(await output(one), '1\n2\n3\n4\n5\n6\n7\n8\n');
  });

  const ladder: readonly (readonly [StopRung, string, number | null])[] = [
    ['interrupt', 'trap "echo interrupted; exit 5" INT; echo up; while :; do sleep 0.1; done', 5],
    ['terminate', 'trap "" INT; trap "echo told; exit 6" TERM; echo up; while :; do sleep 0.1; done', 6],
    ['kill', 'trap "" INT TERM; echo up; while :; do sleep 0.1; done', null],
  ];
  for (const [rung, script, code] of ladder) {
    it(`stop the whole group by ${rung}`, async () => {
      const one = await started(job(`setsid sleep 301 & sleep 302 & ${script}`));
      while (!(await output(one)).includes('up')) await pause(50);
      for (const earlier of ['interrupt', 'terminate', 'kill'] as const) {
        await engine.stop(one, earlier, NEVER_ABORTED);
        if (earlier === rung) break;
        await pause(300);
        assert.equal((await engine.look(one, NEVER_ABORTED)).state, 'stopping');
      }
      const seen = await reaches(one, 'stopped');
      assert.equal(seen.exit?.code ?? null, code);
      await engine.stop(one, 'kill', NEVER_ABORTED);
      for (let round = 0; processesWith(one.id).length > 0 && round < 50; round++) await pause(50);
      assert.deepEqual(processesWith(one.id), []);
    });
  }

  it('start once, however often they are requested', async () => {
    const one = job('echo once; sleep 1');
    await Promise.all([started(one), started(one), started(one)]);
    await started(one);
    await reaches(one, 'succeeded');
    await started(one);
    assert.equal(await output(one), 'once\n');
  });

  it('do not start after they were canceled or stopped before', async () => {
    const one = job('echo never');
    await engine.stop(one, 'interrupt', NEVER_ABORTED);
    assert.equal((await engine.look(one, NEVER_ABORTED)).state, 'failed');
    await assert.rejects(() => started(one), { kind: 'refused', message: /was canceled earlier/ });
    const two = { ...job('echo never'), handle: { notedMs: Date.now() - 200_000 } };
    assert.equal((await engine.look(two, NEVER_ABORTED)).state, 'failed');
    await assert.rejects(() => started(two), /was canceled earlier/);
  });

  it('say what is missing: the program, the folder, the host', async () => {
    const none = recordOf({ engine: 'ssh', alias: 'far', folder: null }, ['no-such-thing'], { folder: work });
    await assert.rejects(() => started(none), {
      kind: 'no-program',
      message: /program was not found on far/,
    });
    const nowhere = recordOf({ engine: 'ssh', alias: 'far', folder: '/no/such' }, ['true']);
    await assert.rejects(() => started(nowhere), {
      kind: 'refused',
      message: /folder does not exist on far/,
    });
    bench.knows('nobody', 9, 'host');
    const unknown = recordOf({ engine: 'ssh', alias: 'nobody', folder: null }, ['true'], {
      folder: work,
    });
    await assert.rejects(() => started(unknown), { kind: 'unreachable', message: /refuses SSH/ });
    const option = recordOf({ engine: 'ssh', alias: '-oProxyCommand=touch x', folder: null }, ['true']);
    await assert.rejects(() => started(option), { kind: 'refused' });
  });

  it('bring back only what the job wrote', async () => {
    writeFileSync(join(work, 'code.py'), 'x');
    const script = 'sleep 1; mkdir -p "out/a b"; echo 1 >"out/a b/-w.bin"; echo 2 >log.txt; echo 3 >>code.py';
    const all = await started(job(script));
    const some = await started(job(script, { writes: [join(work, 'out')] }));
    await reaches(all, 'succeeded');
    await reaches(some, 'succeeded');
    const into = join(work, 'back');
    assert.deepEqual([...(await engine.fetch(all, into, NEVER_ABORTED))].sort(), [
      'code.py',
      'log.txt',
      'out/a b/-w.bin',
    ]);
    assert.equal(readFileSync(join(into, 'out/a b/-w.bin'), 'utf8'), '1\n');
    assert.deepEqual(await engine.fetch(some, join(work, 'less'), NEVER_ABORTED), ['out/a b/-w.bin']);
    assert.equal(existsSync(join(work, 'less', 'log.txt')), false);
  });

  it('copy with rsync if both sides have it, reusing the earlier copy, else as one stream', async function () {
    const missing = installed('rsync', 'rsync');
    if (missing !== null) {
      console.log(`    skipped: ${missing}`);
      return this.skip();
    }
    const path = process.env['PATH'] ?? '';
    const tools = `${work}-tools`;
    const log = join(tools, 'log');
    mkdirSync(tools);
    const wrapper = (line: string) => {
      writeFileSync(join(tools, 'rsync'), `#!/bin/sh\necho "$@" >>'${log}'\n${line}\n`, { mode: 0o755 });
    };
    writeFileSync(join(work, "it's.txt"), 'one');
    writeFileSync(join(work, 'left.bin'), 'out');
    writeFileSync(join(work, '.headroomignore'), 'left.bin\n');
    mkdirSync(join(work, 'sub'));
    writeFileSync(join(work, 'sub/deep.txt'), 'two');
    symlinkSync('sub/deep.txt', join(work, 'link'));
    const script = `cat "it's.txt" link; find . -type f -o -type l | sort`;
    const expected = "onetwo./.headroomignore\n./it's.txt\n./link\n./sub/deep.txt\n";
    try {
      process.env['PATH'] = `${tools}:${path}`;
      const real = `'${findProgram('rsync')}' "$@"; s=$?; echo "status $s" >>'${log}'; exit "$s"`;
      for (const line of [real, real, 'exit 12']) {
        wrapper(line);
        const one = await started(job(script));
        await reaches(one, 'succeeded', 'failed');
        assert.equal(await output(one), expected, line);
      }
    } finally {
      process.env['PATH'] = path;
    }
    const lines = readFileSync(log, 'utf8').trim().split('\n');
    assert.deepEqual(
      lines.filter(line => line.startsWith('status')),
      ['status 0', 'status 0'],
    );
    const calls = lines.filter(line => !line.startsWith('status'));
    assert.equal(calls.length, 3);
    assert.match(calls[1] ?? '', /--copy-dest=\.\.\/\.\.\/[\w-]+\/work /);
    assert.ok(calls.every(call => call.includes('BatchMode=yes') && !call.includes('left.bin')));
    rmSync(tools, { recursive: true });
  });

  it('do not copy more than the limit', async () => {
    writeFileSync(join(work, 'big.bin'), Buffer.alloc(1_200_000));
    const one = job('true');
    await assert.rejects(() => engine.plan(one, NEVER_ABORTED), {
      kind: 'refused',
      message: /1\.2 MB to copy; the limit is 1\.0 MB.*big\.bin \(1\.2 MB\)/,
    });
    await assert.rejects(() => started(one), { kind: 'refused' });
    writeFileSync(join(work, '.headroomignore'), '*.bin\n');
    await started(one);
    await reaches(one, 'succeeded');
  });
});
