import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { JobRecord } from '../../src/jobs/job';
import { isFinal } from '../../src/jobs/settle';
import { seeded } from '../jobs/seeded';
import { tries } from '../tries';
import { file, folder, inTemporaryFolder } from './headroom';

const CLI = resolve('dist/cli.js');
/** Kills in the gate; the properties suite tries ten times as many. */
const MOMENTS = tries(4);

/** A fake trainer: each run leaves a file. */
const TRAINER = `#!/bin/sh
: >"$RAN/$HEADROOM_JOB-$$"
sleep 0.3
`;

const CONFIG = `base_model: NousResearch/Llama-3.2-1B
output_dir: ./out
micro_batch_size: 1
gradient_accumulation_steps: 1
sequence_len: 512
adapter: lora
lora_r: 8
datasets:
  - path: mhenrichsen/alpaca_2k_test
    type: alpaca
`;

describe('headroom run, killed', function () {
  this.timeout(180_000);
  inTemporaryFolder();

  it('loses no job and runs none twice, wherever it is killed', async function () {
    if (process.platform === 'win32') return this.skip();
    const random = seeded('kills of the command line');
    const programs = join(folder(), 'bin');
    const ran = join(folder(), 'ran');
    mkdirSync(programs);
    mkdirSync(ran);
    writeFileSync(join(programs, 'axolotl'), TRAINER);
    chmodSync(join(programs, 'axolotl'), 0o755);
    file('lora.yml', CONFIG);
    const env = {
      PATH: [programs, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter),
      HEADROOM_STATE: join(folder(), 'state'),
      HOME: folder(),
      RAN: ran,
      HEADROOM_START_LIMIT_S: '8',
      NO_COLOR: '1',
    };
    const options = { cwd: folder(), env };
    const start = [CLI, 'run', 'lora.yml', '--detach', '--force'];
    const durations = [0, 1].map(() => {
      const began = performance.now();
      spawnSync(process.execPath, start, options);
      return performance.now() - began;
    });
    // On a machine that others use, too, the next start may be the fastest.
    const whole = Math.min(...durations);
    let killed = 0;
    for (let moment = 0; moment < MOMENTS; moment++) {
      const child = spawn(process.execPath, start, { ...options, stdio: 'ignore' });
      const ended = new Promise<boolean>(done => child.once('exit', (_, by) => done(by === 'SIGKILL')));
      // Each part of a start has its own kills: the first of them come before the end, however fast it is.
      await pause(((moment + random()) / MOMENTS) * 1.2 * whole);
      child.kill('SIGKILL');
      if (await ended) killed += 1;
    }
    const jobs = await allOver(() => {
      const { stdout } = spawnSync(process.execPath, [CLI, 'jobs', '--all', '--json'], {
        ...options,
        encoding: 'utf8',
      });
      return (JSON.parse(stdout) as { jobs: JobRecord[] }).jobs;
    });
    console.log(`      ${killed} of ${MOMENTS} killed; ${jobs.map(({ state }) => state).join(' ')}`);
    assert.ok(killed > 0);
    const runs = readdirSync(ran);
    for (const { id, state, message } of jobs) {
      const count = runs.filter(name => name.startsWith(id)).length;
      assert.ok(state === 'succeeded' || state === 'lost', `${id} ${state}: ${message}`);
      assert.equal(count, state === 'succeeded' ? 1 : 0, `${id}: ${state}, ran ${count} times`);
      if (state === 'lost') assert.match(message ?? '', /^It never started/);
    }
    const known = runs.filter(name => jobs.some(({ id }) => name.startsWith(id)));
    assert.equal(known.length, runs.length, 'no job runs without a record');
  });
});

/** Waits for the limit of records whose keeper never started. */
async function allOver(listed: () => readonly JobRecord[]): Promise<readonly JobRecord[]> {
  const end = Date.now() + 90_000;
  for (;;) {
    const jobs = listed();
    if (jobs.every(isFinal)) return jobs;
    if (Date.now() > end) throw new Error(JSON.stringify(jobs.filter(job => !isFinal(job))));
    await pause(500);
  }
}
