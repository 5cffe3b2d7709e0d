import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { RayEngine } from '../../../src/jobs/engines/ray';
import type { JobRecord, JobState } from '../../../src/jobs/job';
import { peakOf } from '../../../src/jobs/remote/watched';
import { fakeGpus } from '../../jobs/fakeGpus';
import { pause, processesWith } from '../processes';
import { Ray, whyNoRay } from '../ray/ray';
import { listening } from '../ssh/sshd';
import { recordOf } from './record';
import { skipFor } from '../../skipFor';

const BASE_PORT = 28_460;
const NEVER_ABORTED = { aborted: false };

describe('services: Ray jobs', function () {
  this.timeout(200_000);
  let ray: Ray;
  let work: string;
  let engine: RayEngine;
  let reason: string | null = null;

  before(async function () {
    reason = whyNoRay();
    skipFor(reason, this);
    ray = new Ray(BASE_PORT, 4);
    await ray.start();
  });

  beforeEach(() => {
    work = mkdtempSync(join(tmpdir(), 'headroom-work-'));
    engine = engineWith({ RAY_AUTH_TOKEN: ray.token });
  });

  afterEach(() => rmSync(work, { recursive: true, force: true }));

  after(async () => {
    if (reason !== null) return;
    await ray.end();
    assert.deepEqual(processesWith(ray.folder), []);
  });

  const engineWith = (variables: Record<string, string>) =>
    new RayEngine({ variables, mostCopyBytes: 1e6, ownAddresses: () => [], now: Date.now });

  const job = (script: string, count = 1, more: Partial<JobRecord> = {}) =>
    recordOf({ engine: 'ray', address: ray.address }, ['sh', '-c', script, 'it'], {
      folder: work,
      gpus: { count, uuids: [], needBytes: null },
      ...more,
    });

  async function started(record: JobRecord): Promise<JobRecord> {
    const handle = await engine.start(record, {}, () => Promise.resolve(), NEVER_ABORTED);
    return { ...record, handle };
  }

  async function reaches(record: JobRecord, ...states: readonly JobState[]) {
    const end = Date.now() + 60_000;
    for (;;) {
      const seen = await engine.look(record);
      if (states.includes(seen.state)) return seen;
      if (Date.now() > end) throw new Error(`Still ${JSON.stringify(seen)}`);
      await pause(200);
    }
  }

  const output = async (record: JobRecord, from = 0) =>
    Buffer.from((await engine.read(record, from)).bytes).toString();

  it('wait while a new cluster counts its GPUs, and say so', async () => {
    const said: string[] = [];
    const one = new RayEngine({
      variables: { RAY_AUTH_TOKEN: ray.token },
      mostCopyBytes: 1e6,
      ownAddresses: () => [],
      now: Date.now,
      say: sentence => said.push(sentence),
    });
    // Asked as soon as the dashboard answers: the GPUs may not be counted yet.
    await one.plan(job('true', 4));
    assert.ok(said.every(text => text.startsWith('The Ray cluster just started')));
    assert.ok(said.length <= 1);
    console.log(`      it ${said.length === 1 ? 'was waited for' : 'had counted them'}`);
  });

  it('send the folder, reserve GPUs, and report output and end', async () => {
    writeFileSync(join(work, 'a b.txt'), 'copied\n');
    writeFileSync(join(work, 'run.sh'), '#!/bin/sh\necho ran\n', { mode: 0o755 });
    const script = `cat "$1"; ./run.sh; echo "$CUDA_VISIBLE_DEVICES|$X"; exit 7`;
    const record = job(script, 2, { environment: { X: `it's "$HOME"; *` } });
    const argv = [...record.argv, join(work, 'a b.txt')];
    const lines = await engine.plan({ ...record, argv, secrets: ['HF_TOKEN'] });
    assert.match(
      lines.join('\n'),
      /with 2 GPUs on one node\.\nCopies 2 files.*\n.*persistent path\.\nNot passed on: HF_TOKEN/,
    );
    const one = await started({ ...record, argv });
    const seen = await reaches(one, 'failed');
    assert.deepEqual([seen.exit?.code, seen.exit?.reason], [7, 'JOB_ENTRYPOINT_COMMAND_ERROR']);
    assert.ok(seen.endedMs !== null && seen.startedMs !== null && seen.endedMs >= seen.startedMs);
    const text = await output(one);
    // Ray writes a line of its own somewhere in between.
    assert.match(text, /^copied\n(?:.*\n)*ran\n(?:.*\n)*[0-3],[0-3]\|it's "\$HOME"; \*$/m);
    assert.equal(await output(one, 5), text.slice(5));
    await engine.clean(one);
    assert.equal((await engine.look(one)).state, 'lost');
  });

  it("keep the readings of their node's GPUs, and what they hold on them", async () => {
    const tools = join(work, 'tools');
    const { holding } = fakeGpus(tools, 24 * 1024, ['GPU-1', 'GPU-2', 'GPU-3']);
    const PATH = [tools, dirname(process.execPath), process.env['PATH']].join(delimiter);
    const holds = (gpu: string, mib: number) => {
      const argv = ['env', `CUDA_VISIBLE_DEVICES=${gpu}`, process.execPath, '-e', holding(mib, 60_000)];
      return started({ ...job(''), argv, environment: { PATH } });
    };
    const all = [await holds('GPU-2', 9000), await holds('GPU-3', 3000)];
    const peaks = () => Promise.all(all.map(async one => peakOf(await engine.samples(one))?.bytes ?? null));
    while ((await peaks()).includes(null)) await pause(500);
    assert.deepEqual(await peaks(), [9000 * 2 ** 20, 3000 * 2 ** 20]);
    const seen = (await engine.samples(all[0] ?? job(''))).at(-1)?.gpus.map(({ uuid }) => uuid);
    assert.deepEqual(seen, ['GPU-2']);
    for (const one of all) await engine.stop(one);
    for (const one of all) await reaches(one, 'stopped');
    // The observed peaks outlast the job.
    assert.deepEqual(await peaks(), [9000 * 2 ** 20, 3000 * 2 ** 20]);
    // Without a tool, nothing is known.
    const blind = await started(job('true'));
    await reaches(blind, 'succeeded');
    assert.deepEqual(await engine.samples(blind), []);
  });

  it('are submitted once, and stop', async () => {
    const record = job('echo up; sleep 100');
    const one = await started(record);
    await started(record);
    await reaches(one, 'running');
    while (!(await output(one)).includes('up')) await pause(200);
    await engine.stop(one);
    await reaches(one, 'stopped');
    assert.equal((await output(one)).match(/^up$/gm)?.length, 1);
  });

  it('are found again by another client, with their record from before the answer arrived', async () => {
    const early: JobRecord['handle'][] = [];
    const record = job('echo one; sleep 1; echo two');
    await engine.start(record, {}, handle => Promise.resolve(void early.push(handle)), NEVER_ABORTED);
    engine = engineWith({ RAY_AUTH_TOKEN: ray.token });
    const later: JobRecord = { ...record, handle: early[0] ?? null };
    const seen = await reaches(later, 'succeeded');
    assert.match(seen.machines?.[0] ?? '', /^[0-9a-f]{56}$/);
    assert.match(await output(later), /^one\n(?:.*\n)*two$/m);
  });

  it('are not submitted if no node can hold them', async () => {
    await assert.rejects(() => engine.plan(job('true', 8)), {
      kind: 'refused',
      message: 'No node of this Ray cluster has 8 GPUs; the largest has 4.',
    });
    await assert.rejects(() => started(job('true', 8)), { kind: 'refused' });
  });

  it('wait for GPUs, and say so', async () => {
    const first = await started(job('sleep 100', 4));
    await reaches(first, 'running');
    const second = await started(job('true', 1));
    await pause(1500);
    const seen = await engine.look(second);
    assert.equal(seen.state, 'queued');
    assert.match(seen.message ?? '', /waiting for resources/);
    await engine.stop(first);
    await reaches(second, 'succeeded');
  });

  it('distinguish a restarted cluster from a lost job and from an interrupted start', async () => {
    const record = job('true');
    const other = { ...record, handle: { session: 'session_of_before', submitted: 1 } };
    const seen = await engine.look(other);
    assert.deepEqual(
      [seen.state, seen.message],
      ['lost', 'The Ray cluster was restarted and lost its jobs.'],
    );
    assert.equal((await engine.look({ ...record, handle: { notedMs: Date.now() } })).state, 'starting');
    assert.equal((await engine.look({ ...record, handle: { notedMs: 0 } })).state, 'failed');
  });

  it('ask for the token, and say if nothing listens', async () => {
    await assert.rejects(() => engineWith({}).look(job('true')), {
      message: /requires a token: set RAY_AUTH_TOKEN/,
    });
    await assert.rejects(() => engineWith({ RAY_AUTH_TOKEN: 'wrong' }).look(job('true')), {
      message: /rejects the token in RAY_AUTH_TOKEN/,
    });
    const server = createServer();
    const port = await listening(server);
    server.close();
    const nobody = { ...job('true'), place: { engine: 'ray', address: `http://127.0.0.1:${port}` } as const };
    await assert.rejects(() => engine.look(nobody), {
      kind: 'unreachable',
      message: /is unreachable.*ssh -L/,
    });
  });
});
