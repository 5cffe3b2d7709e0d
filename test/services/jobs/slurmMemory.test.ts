import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { exitText } from '../../../src/cli/jobs/text';
import { sideOf } from '../../../src/core/output/oom/blame';
import { explainOom } from '../../../src/core/output/oom/explain';
import type { JobPlace, JobRecord } from '../../../src/jobs/job';
import type { Jobs } from '../../../src/jobs/jobs';
import { openJobs } from '../../../src/jobs/openJobs';
import { isFinal } from '../../../src/jobs/settle';
import { pause, processesWith, until } from '../processes';
import { SlurmAccounting, whyNoAccounting } from '../slurm/accounting';
import { LIMITED, Slurm, whyNoMemoryGroups, whyNoSlurm } from '../slurm/slurm';
import { recordOf } from './record';
import { skipFor } from '../../skipFor';

const BASE_PORT = 18_400;
const NEVER_ABORTED = { aborted: false };
const PLACE: JobPlace = { engine: 'slurm', alias: null, partition: 'gpu' };

/** Uses three times its limit. */
const HOG = 'const kept = Buffer.alloc(3e8, 1); setTimeout(() => kept, 60_000)';
const SHORT =
  'Slurm stopped it: it used more host RAM than the 100M it requested. Request more (--mem); this is not GPU memory.';

describe('services: Slurm jobs with a memory limit', function () {
  this.timeout(180_000);
  let slurm: Slurm;
  let jobs: Jobs;
  const work = mkdtempSync(join(tmpdir(), 'headroom-work-'));
  const reason = whyNoSlurm() ?? whyNoAccounting() ?? whyNoMemoryGroups();
  const before_ = { conf: process.env['SLURM_CONF'], home: process.env['HOME'] };

  before(async function () {
    skipFor(reason, this);
    // Ended jobs are forgotten quickly; sacct remembers them.
    slurm = new Slurm(BASE_PORT, [...LIMITED.conf, 'MinJobAge=2'], LIMITED.cgroups);
    await slurm.start(new SlurmAccounting());
    const home = join(slurm.folder, 'home');
    mkdirSync(home);
    process.env['SLURM_CONF'] = slurm.conf;
    process.env['HOME'] = home;
    const state = join(slurm.folder, 'records');
    jobs = openJobs({ state, keeper: resolve('dist/keeper.js'), executables: {}, ssh: {} });
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

  async function started(argv: readonly string[], array: number | null = null): Promise<string> {
    const limits = { timeMinutes: null, cpus: 1, memoryMiB: 100, array, requeue: false };
    const gpus = { count: 1, uuids: [], needBytes: null };
    return (await jobs.start(recordOf(PLACE, argv, { folder: work, gpus, limits }), {}, NEVER_ABORTED)).id;
  }

  async function over(id: string): Promise<JobRecord> {
    const end = Date.now() + 60_000;
    for (;;) {
      const record = await jobs.get(id);
      assert.ok(record);
      if (isFinal(record)) return record;
      if (Date.now() > end) throw new Error(`Still ${JSON.stringify(record)}`);
      await pause(300);
    }
  }

  const output = async (id: string) =>
    Buffer.from((await jobs.output(id, 0, NEVER_ABORTED)).bytes).toString();

  it("end as OUT_OF_MEMORY in Slurm's words: host memory, not GPU memory", async () => {
    const id = await started([process.execPath, '-e', HOG]);
    const record = await over(id);
    assert.deepEqual(record.exit, { code: 137, signal: 'SIGKILL', reason: 'OUT_OF_MEMORY' });
    assert.equal(record.message, SHORT);
    assert.match(exitText(record), / · failed · OUT_OF_MEMORY · /);
    // slurmstepd's message in the output is for the machine, too.
    const report = explainOom(await output(id));
    assert.ok(report);
    assert.deepEqual([report.kind, sideOf(report.kind)], ['slurm-oom', 'host']);
  });

  it('say so if another process was killed and the command continued', async () => {
    const record = await over(
      await started(['sh', '-c', '"$1" -e "$2"; echo went on', 'it', process.execPath, HOG]),
    );
    assert.deepEqual([record.state, record.exit?.code], ['failed', 0]);
    assert.equal(
      record.message,
      `${SHORT} Slurm killed a child process; the job continued without it and ended with code 0.`,
    );
  });

  it('are reported the same by sacct after the controller forgot them', async () => {
    const id = await started([process.execPath, '-e', HOG]);
    const number = String((await jobs.get(id))?.handle?.['slurm']);
    const told = () => slurm.run('scontrol', '-o', 'show', 'job', number);
    await until(() => told() === '', told, 90_000);
    const record = await over(id);
    assert.deepEqual([record.exit?.reason, record.message], ['OUT_OF_MEMORY', SHORT]);
  });

  it('name the array task that ran out', async () => {
    const argv = [
      'sh',
      '-c',
      'case $3 in 2) exec "$1" -e "$2" ;; esac',
      'it',
      process.execPath,
      HOG,
      '{shard}',
    ];
    const record = await over(await started(argv, 3));
    assert.equal(record.message, `1 of 3 tasks failed: 2 (OUT_OF_MEMORY). ${SHORT}`);
  });
});
