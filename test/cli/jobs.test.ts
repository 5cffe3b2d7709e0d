import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import type { JobRecord } from '../../src/jobs/job';

interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const CONFIG = `base_model: headroom/unknown-model
datasets: [{path: a, type: alpaca}]
adapter: lora
micro_batch_size: 2
gradient_accumulation_steps: 4
sequence_len: 2048
output_dir: ./out
`;

/** A framework's command that prints its arguments, and takes a while. */
const PROGRAM = `#!${process.execPath}
console.log(JSON.stringify(process.argv.slice(2)));
if (process.env.SLEEP) console.log(' 20%|██        | 12/60 [00:24<01:36,  2.00s/it]');
if (process.env.OOM) {
  console.error('torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.65 GiB of which 1.20 GiB is free. Of the allocated memory 21.50 GiB is allocated by PyTorch, and 450.00 MiB is reserved by PyTorch but unallocated.');
  process.exit(1);
}
setTimeout(() => {}, Number(process.env.SLEEP ?? 0));
`;

describe('headroom run, jobs, logs, stop, resume', function () {
  this.timeout(60_000);
  const folder = mkdtempSync(join(tmpdir(), 'headroom-run-'));
  const headroom = (...args: readonly string[]): Promise<Run> => headroomWith({}, ...args);
  const headroomWith = (more: NodeJS.ProcessEnv, ...args: readonly string[]): Promise<Run> =>
    new Promise(done => {
      const env = {
        ...process.env,
        PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH']}`,
        HEADROOM_STATE: join(folder, 'state'),
        SECRET_WORD: 'quietly',
        ...more,
      };
      const cli = resolve('dist/cli.js');
      const child = execFile(process.execPath, [cli, ...args], { cwd: folder, env }, (error, out, err) => {
        done({ code: error ? (child.exitCode ?? 1) : 0, out, err });
      });
    });
  const all = async (): Promise<readonly JobRecord[]> =>
    (JSON.parse((await headroom('jobs', '--all', '--json')).out) as { readonly jobs: readonly JobRecord[] })
      .jobs;

  before(function () {
    if (process.platform === 'win32') return this.skip();
    writeFileSync(join(folder, 'lora.yml'), CONFIG);
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'bin', 'axolotl'), PROGRAM);
    chmodSync(join(folder, 'bin', 'axolotl'), 0o755);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('show the command without starting it', async () => {
    const { code, out } = await headroom('run', 'lora.yml', '--gpus', '2', '--dry-run');
    assert.equal(code, 0);
    assert.match(out, /^command +axolotl train lora\.yml --launcher accelerate -- --num_processes=2$/m);
    assert.match(out, /^writes +\.\/out$/m);
    assert.deepEqual(await all(), []);
  });

  it("follow a job to its end, with extra arguments before the launcher's", async () => {
    const { code, out, err } = await headroom('run', 'lora.yml', '--secret', 'SECRET_WORD', '--', '--debug');
    assert.equal(code, 0, err);
    const argv = ['train', 'lora.yml', '--launcher', 'accelerate', '--debug', '--', '--num_processes=1'];
    assert.deepEqual(JSON.parse(out), argv);
    assert.match(err, /^ +secrets: SECRET_WORD$/m);
    assert.ok(!err.includes('quietly'));
    const [record] = await all();
    assert.deepEqual([record?.state, record?.config?.file], ['succeeded', join(folder, 'lora.yml')]);
  });

  it('return at once, stop, and resume where the job was', async () => {
    const { out } = await headroom('run', 'lora.yml', '--env', 'SLEEP=60000', '--detach');
    const id = out.trim();
    assert.match((await headroom('jobs')).out, new RegExp(`${id} .*(?:running|starting)`));
    const running = (await headroom('jobs')).out;
    assert.match(running, /\| progress .*\| details/);
    assert.match(running, /12 of 60 steps · 2 s\/step · 1 min 36 s left/);
    const stopped = await headroom('stop', id.slice(-6));
    assert.match(stopped.out, /stopped/);
    const resumed = await headroom('resume', id, '--dry-run');
    assert.match(resumed.out, /axolotl train lora\.yml --auto-resume-from-checkpoints/);
    assert.match((await headroom('logs', id)).out, /"train"/);
  });

  it('start all simultaneous jobs if no GPU can be read', async () => {
    const alone = { PATH: join(folder, 'bin'), HEADROOM_STATE: join(folder, 'six') };
    const six = Array.from({ length: 6 }, () => headroomWith(alone, 'run', 'lora.yml', '--detach'));
    const all = await Promise.all(six);
    assert.deepEqual(
      all.filter(({ code }) => code !== 0),
      [],
    );
    assert.equal(new Set(all.map(({ out }) => out)).size, 6);
  });

  it('report a run that ran out of memory in headroom check until its config changes', async () => {
    writeFileSync(join(folder, 'big.yml'), `${CONFIG}# big\n`);
    const { code } = await headroom('run', 'big.yml', '--env', 'OOM=1');
    assert.equal(code, 1);
    const { out } = await headroom('check', 'big.yml', '--gpu', 'RTX 4090');
    assert.match(out, /error .*(?:ran out|out of memory).* ran-out-of-memory$/im);
    writeFileSync(join(folder, 'big.yml'), CONFIG.replace('2048', '1024'));
    assert.doesNotMatch((await headroom('check', 'big.yml', '--gpu', 'RTX 4090')).out, /ran-out-of-memory/);
  });

  it('refuse the impossible with one sentence', async () => {
    const cases = [
      [['run', 'nope.yml'], /^nope\.yml: no such file/],
      [['run', 'lora.yml', '--secret', 'NOT_SET_ANYWHERE'], /this environment variable is not set/],
      [['run', 'lora.yml', '--env', 'novalue'], /^--env novalue: use NAME=VALUE/m],
      [['run', 'lora.yml', '--host', '-oProxyCommand=x'], /not a valid SSH host|argument missing/],
      [['logs', 'nothing'], /^nothing: no such job/],
    ] as const;
    for (const [args, message] of cases) {
      const { code, err } = await headroom(...args);
      assert.equal(code, 3, args.join(' '));
      assert.match(err, message);
      assert.ok(!/^ +at /m.test(err), 'no stack');
    }
  });

  it('refuse a state folder that is not a folder, and show no other jobs instead', async () => {
    for (const args of [
      ['jobs', '--all'],
      ['run', 'lora.yml'],
    ]) {
      const { code, out, err } = await headroomWith({ HEADROOM_STATE: 'six' }, ...args);
      assert.deepEqual([code, out], [3, '']);
      assert.match(err, /^HEADROOM_STATE=six is not an absolute path\. Set it to one such as \/.*\.\n$/);
    }
    if (process.platform !== 'linux') return;
    const nowhere = await headroomWith({ HEADROOM_STATE: '/proc/headroom' }, 'run', 'lora.yml');
    assert.equal(nowhere.code, 3);
    assert.match(nowhere.err, /^\/proc\/headroom.* is not writable/m);
  });

  it('name unreadable records, and show the others', async () => {
    const odd = join(folder, 'state/jobs/20200101-000000-badbad');
    mkdirSync(odd);
    const record = { schema: 'headroom-job/1', id: '20200101-000000-badbad', state: 'failed' };
    writeFileSync(join(odd, 'job.json'), JSON.stringify({ ...record, argv: [], place: { engine: 'local' } }));
    const { code, out, err } = await headroom('jobs', '--all');
    rmSync(odd, { recursive: true });
    assert.equal(code, 0);
    assert.match(out, /lora\.yml/);
    assert.match(
      err,
      /^1 job record is not readable and not shown: 20200101-000000-badbad\. Remove its folder in /,
    );
  });
});
