import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { exitText } from '../../../src/cli/jobs/text';
import type { JobPlace, JobRecord, JobState } from '../../../src/jobs/job';
import type { Jobs } from '../../../src/jobs/jobs';
import { openJobs } from '../../../src/jobs/openJobs';
import { pause, processesWith, until } from '../processes';
import { SlurmAccounting, whyNoAccounting } from '../slurm/accounting';
import { Slurm, whyNoSlurm } from '../slurm/slurm';
import { recordOf } from './record';
import { skipFor } from '../../skipFor';

const BASE_PORT = 17_900;
const NEVER_ABORTED = { aborted: false };

/** Causes for which a cluster ends jobs itself: memory limits, nodes that disappear, partitions with priority. */
const STRICT = [
  'JobAcctGatherType=jobacct_gather/linux',
  'JobAcctGatherFrequency=1',
  'JobAcctGatherParams=OverMemoryKill',
  'SelectTypeParameters=CR_Core_Memory',
  'SlurmdTimeout=10',
  // Ended jobs are forgotten quickly; sacct remembers them.
  'MinJobAge=2',
  'PreemptType=preempt/partition_prio',
  'PreemptMode=REQUEUE',
  'PartitionName=dying Nodes=gpu1',
  'PartitionName=spare Nodes=gpu2 PriorityTier=1 PreemptMode=CANCEL',
  'PartitionName=again Nodes=gpu2 PriorityTier=1 PreemptMode=REQUEUE',
  'PartitionName=first Nodes=gpu2 PriorityTier=9 PreemptMode=OFF',
];

const SLEEPING = ['sh', '-c', 'echo begins; sleep 600', 'it'];

describe('services: the end of Slurm jobs', function () {
  this.timeout(180_000);
  let slurm: Slurm;
  let jobs: Jobs;
  /** Jobs whose end takes the cluster half a minute. */
  const slow = { limited: '', hit: '', back: '' };
  const work = mkdtempSync(join(tmpdir(), 'headroom-work-'));
  const reason = whyNoSlurm() ?? whyNoAccounting();
  const before_ = { conf: process.env['SLURM_CONF'], home: process.env['HOME'] };

  before(async function () {
    skipFor(reason, this);
    slurm = new Slurm(BASE_PORT, STRICT);
    await slurm.start(new SlurmAccounting());
    const home = join(slurm.folder, 'home');
    mkdirSync(home);
    process.env['SLURM_CONF'] = slurm.conf;
    process.env['HOME'] = home;
    const state = join(slurm.folder, 'records');
    jobs = openJobs({ state, keeper: resolve('dist/keeper.js'), executables: {}, ssh: {} });
    slow.hit = await started(SLEEPING, {}, 'dying');
    slow.back = await started(SLEEPING, { requeue: true }, 'dying');
    slow.limited = await started(SLEEPING, { timeMinutes: 1 }, 'mig');
    for (const id of Object.values(slow)) await reaches(id, 'running');
    slurm.killNode('gpu1');
    // Less than a minute cannot be requested, but the end time can be moved.
    slurm.run('scontrol', 'update', `JobId=${await number(slow.limited)}`, 'EndTime=now+3seconds');
  });

  after(async () => {
    if (before_.conf === undefined) delete process.env['SLURM_CONF'];
    else process.env['SLURM_CONF'] = before_.conf;
    if (before_.home !== undefined) process.env['HOME'] = before_.home;
    rmSync(work, { recursive: true, force: true });
    if (reason !== null) return;
    await slurm.end();
    assert.deepEqual(processesWith(slurm.folder), []);
  });

  async function started(
    argv: readonly string[],
    more: Partial<JobRecord['limits']>,
    partition: string,
  ): Promise<string> {
    const place: JobPlace = { engine: 'slurm', alias: null, partition };
    const limits = { timeMinutes: null, cpus: 1, memoryMiB: 20, array: null, requeue: false, ...more };
    const gpus = { count: partition === 'first' ? 8 : 1, uuids: [], needBytes: null };
    const record = recordOf(place, argv, { folder: work, gpus, limits });
    return (await jobs.start(record, {}, NEVER_ABORTED)).id;
  }

  async function reaches(id: string, ...states: readonly JobState[]): Promise<JobRecord> {
    const end = Date.now() + 120_000;
    for (;;) {
      const record = await jobs.get(id);
      assert.ok(record);
      if (states.includes(record.state)) return record;
      if (Date.now() > end) throw new Error(`Still ${JSON.stringify(record)}`);
      await pause(300);
    }
  }

  const over = (id: string) => reaches(id, 'failed', 'stopped', 'succeeded', 'lost');

  /** The description of its end, without the duration. */
  const told = async (id: string): Promise<string> =>
    exitText(await over(id))
      .replace(/ · after [^·]*[^ ·]/, '')
      .replace(`${id} · `, '');

  const number = async (id: string) => String((await jobs.get(id))?.handle?.['slurm']);

  /** Waits until the controller has forgotten it: from then on, the answers are sacct's. */
  async function forgotten(id: string): Promise<void> {
    const asked = slurm.run.bind(slurm, 'scontrol', '-o', 'show', 'job', await number(id));
    await until(() => asked() === '', asked, 120_000);
  }

  it('is out of host memory if the output says so, whatever state Slurm reports', async () => {
    const hog = 'const kept = Buffer.alloc(3e8, 1); setTimeout(() => kept, 60_000)';
    const id = await started([process.execPath, '-e', hog], { memoryMiB: 100 }, 'spare');
    assert.equal(
      await told(id),
      'failed · SIGKILL · Slurm killed the job because it reached its RAM limit on the node (--mem), not because of GPU memory.',
    );
  });

  it("is canceled if somebody used Slurm's own command", async () => {
    const id = await started(SLEEPING, {}, 'spare');
    await reaches(id, 'running');
    slurm.run('scancel', await number(id));
    assert.match(await told(id), /^stopped · CANCELLED · It was canceled with scancel\.$/);
  });

  it('is preempted, also as sacct reports it', async () => {
    const id = await started(SLEEPING, {}, 'spare');
    await reaches(id, 'running');
    const other = await started(SLEEPING, {}, 'first');
    await reaches(other, 'running');
    await forgotten(id);
    assert.match(
      await told(id),
      /^failed · PREEMPTED · It was preempted by a job with higher priority\. Start it again,/,
    );
    assert.equal((await jobs.stop(other, NEVER_ABORTED)).state, 'stopped');
  });

  it('is pending if the job may be requeued, with the reason', async () => {
    const id = await started(SLEEPING, { requeue: true }, 'again');
    await reaches(id, 'running');
    const other = await started(SLEEPING, {}, 'first');
    const record = await reaches(id, 'queued');
    assert.match(record.message ?? '', /^It was requeued\. BeginTime: waits for its start time/);
    await reaches(other, 'running');
    for (const one of [other, id]) assert.equal((await jobs.stop(one, NEVER_ABORTED)).state, 'stopped');
  });

  it('is the time limit', async () => {
    assert.match(
      await told(slow.limited),
      /^failed · TIMEOUT · Slurm stopped it at its time limit of 00:01:00\. Request more time \(--time\), or resume/,
    );
  });

  it('is a node failure, or a requeue', async () => {
    assert.match(await told(slow.hit), /^failed · NODE_FAIL · Its node failed\. Start it again,/);
    const record = await reaches(slow.back, 'queued');
    assert.match(record.message ?? '', /^It was requeued\. /);
    assert.equal((await jobs.stop(slow.back, NEVER_ABORTED)).state, 'stopped');
  });
});
