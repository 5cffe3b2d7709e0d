import assert from 'node:assert/strict';
import { readFileSync, rmSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { explainOom } from '../../src/core/output/oom/explain';
import type { EngineRoom } from '../../src/jobs/engineMaker';
import type { JobRecord, JobRequest, JobState } from '../../src/jobs/job';
import type { Jobs } from '../../src/jobs/jobs';
import { openJobs } from '../../src/jobs/openJobs';
import { resumedRequest } from '../../src/jobs/request';
import { isFinal } from '../../src/jobs/settle';
import { NEVER, outputOf, request } from './support';
import { skipFor } from '../skipFor';

/** The environment of an engine's jobs during the contract tests, and how to break it. */
interface EngineWorld {
  readonly room: EngineRoom;
  /** Where it runs, and the requests that a scheduler needs. */
  readonly asks: Pick<JobRequest, 'place'> & Partial<JobRequest>;
  /** The first signal to a program when its job is stopped. */
  readonly stopSignal: 'SIGINT' | 'SIGTERM';
  /** Kills the local process that watches a job, like a crash. The job itself continues. */
  readonly breakOff: (record: JobRecord) => Promise<void>;
  /** Removes a running job together with everything that knows how it ends. */
  readonly lose: (record: JobRecord) => Promise<void>;
  /** Ends everything and returns what is left over. */
  readonly end: () => Promise<void>;
}

interface EngineFixture {
  readonly title: string;
  /** Why this machine cannot run it; null if it can. */
  readonly missing: () => string | null;
  readonly open: () => Promise<EngineWorld>;
  /** Limit of a single case. */
  readonly limitMs: number;
}

const OOM = readFileSync('test/fixtures/jobs/oom-logits.log', 'utf8');
const STEPS = [1, 2, 3].map(step => `{'loss': ${4 - step}.5, 'learning_rate': 1e-05, 'epoch': ${step}.0}`);
/** Prints each line after a short pause. */
const printing = (lines: readonly string[], more = ''): string =>
  `(async () => { for (const line of ${JSON.stringify(lines)}) { console.log(line); await new Promise(r => setTimeout(r, 300)); } ${more} })()`;
/** Prints that it is up, and runs until it is killed. */
const FOREVER = "console.log('up'); setInterval(() => {}, 1000);";

/** A job's life from its start to each possible end, the same on every engine. */
export function jobContract({ title, missing, open, limitMs }: EngineFixture): void {
  describe(`the life of a job: ${title}`, function () {
    this.timeout(limitMs);
    let world: EngineWorld | null = null;
    let jobs: Jobs;
    let folder: string;

    before(async function () {
      this.timeout(Math.max(limitMs, 200_000));
      const reason = missing();
      skipFor(reason, this);
      world = await open();
    });

    beforeEach(() => {
      assert.ok(world);
      jobs = openJobs(world.room);
      folder = mkdtempSync(join(tmpdir(), 'headroom-life-'));
    });

    afterEach(async () => {
      const left = (await jobs.list()).filter(record => !isFinal(record));
      await Promise.all(left.map(({ id }) => jobs.stop(id, NEVER)));
      jobs.dispose();
      rmSync(folder, { recursive: true, force: true });
    });

    after(() => world?.end());

    const start = (script: string, more: Partial<JobRequest> = {}) => {
      assert.ok(world);
      return jobs.start(request(script, { folder, ...world.asks, ...more }), {}, NEVER);
    };

    async function reaches(id: string, ...states: readonly JobState[]): Promise<JobRecord> {
      const endMs = Date.now() + limitMs * 0.8;
      for (;;) {
        const record = await jobs.get(id);
        if (record && states.includes(record.state)) return record;
        if (Date.now() > endMs) throw new Error(`still ${record?.state}: ${JSON.stringify(record)}`);
        await pause(100);
      }
    }

    const over = (id: string) => reaches(id, 'succeeded', 'failed', 'stopped', 'lost');

    async function prints(id: string, text: string): Promise<void> {
      await reaches(id, 'running');
      while (!(await outputOf(jobs, id)).includes(text)) await pause(100);
    }

    it('runs, prints in order, and succeeds', async () => {
      const { id } = await start('console.log("one", process.env.SHOWN); console.log("two")', {
        environment: { SHOWN: "it's" },
      });
      const { state, exit, startedMs, endedMs } = await over(id);
      assert.deepEqual([state, exit?.code], ['succeeded', 0]);
      assert.ok(startedMs !== null && endedMs !== null && endedMs >= startedMs);
      // A scheduler may print lines of its own in between.
      assert.match(await outputOf(jobs, id), /^one it's\n(?:.*\n)*two$/m);
    });

    it('fails with the exit code of its program', async () => {
      const { id } = await start('process.exit(7)');
      const { state, exit } = await over(id);
      assert.deepEqual([state, exit?.code], ['failed', 7]);
    });

    it('reports its progress to followers', async () => {
      const { id } = await start(printing(STEPS, FOREVER));
      const loss = await new Promise<number>(done => {
        const end = jobs.follow(id, ({ progress }) => {
          if (progress?.loss !== 1.5) return;
          end();
          done(progress.loss);
        });
      });
      assert.equal(loss, 1.5);
    });

    it('is stopped, and can print a last line', async () => {
      assert.ok(world);
      const { stopSignal } = world;
      const { id } = await start(
        `process.on('${stopSignal}', () => { console.log('a last word'); process.exit(0); }); ${FOREVER}`,
      );
      await prints(id, 'up');
      assert.equal((await jobs.stop(id, NEVER)).state, 'stopped');
      assert.match(await outputOf(jobs, id), /^a last word$/m);
    });

    it('fails on out of memory, and says so', async () => {
      const { id } = await start(`process.stderr.write(${JSON.stringify(OOM)}); process.exitCode = 1`);
      const { state, message } = await over(id);
      assert.equal(state, 'failed');
      assert.match(message ?? '', /memory/);
      assert.deepEqual(explainOom(await outputOf(jobs, id)), explainOom(OOM));
    });

    it('is found again, completely, by a window that opens later', async () => {
      assert.ok(world);
      const { id } = await start(`setTimeout(() => console.log('later'), 3000); ${printing(['early'])}`);
      jobs.dispose();
      jobs = openJobs(world.room);
      assert.ok((await jobs.list()).some(record => record.id === id && !isFinal(record)));
      assert.equal((await over(id)).state, 'succeeded');
      assert.match(await outputOf(jobs, id), /^early\n(?:.*\n)*later$/m);
    });

    it('continues when its keeper is killed, and can be stopped', async () => {
      assert.ok(world);
      const { id } = await start(
        `let n = 0; setInterval(() => console.log('beat', ++n), 200); console.log('up')`,
      );
      await prints(id, 'up');
      await world.breakOff(await reaches(id, 'running'));
      const before = (await outputOf(jobs, id)).length;
      while ((await outputOf(jobs, id)).length <= before) await pause(100);
      await reaches(id, 'running');
      assert.ok(isFinal(await jobs.stop(id, NEVER)));
      const silent = (await outputOf(jobs, id)).length;
      await pause(500);
      assert.equal((await outputOf(jobs, id)).length, silent, 'it beats no more');
    });

    it('is lost if nobody can tell how it ended', async () => {
      assert.ok(world);
      const { id } = await start(FOREVER);
      await prints(id, 'up');
      await world.lose(await reaches(id, 'running'));
      const { state, message, exit } = await reaches(id, 'lost', 'succeeded', 'failed', 'stopped');
      assert.deepEqual([state, exit], ['lost', null]);
      assert.notEqual(message ?? '', '');
    });

    it('resumes after its end with the command that it names for that', async () => {
      const resume = [process.execPath, '-e', 'console.log("from the checkpoint")'];
      const { id } = await start(FOREVER, { resume });
      await prints(id, 'up');
      const again = resumedRequest(await jobs.stop(id, NEVER), null);
      assert.ok(again.ok);
      const next = await jobs.start(again.request, {}, NEVER);
      assert.notEqual(next.id, id);
      assert.equal((await over(next.id)).state, 'succeeded');
      assert.match(await outputOf(jobs, next.id), /^from the checkpoint$/m);
    });
  });
}
