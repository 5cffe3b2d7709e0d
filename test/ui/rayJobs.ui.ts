// Jobs of a real Ray cluster from a window: chosen although its GPUs are unknown, followed, found again by a
// reloaded
// window, stopped; requests that no node can fulfill are refused.
import { Ray, whyNoRay } from '../services/ray/ray';
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { JOBS, noJobs, recordsIn, SMALL, startScreen, withTrainer } from './trainer';
import { journeyInVSCode, SLOW_MS } from './window';

const BASE_PORT = 28_540;
let state: string;
const records = () => recordsIn(state);

async function cluster() {
  const reason = whyNoRay();
  if (reason !== null) return { skip: () => reason };
  // Its nodes find the trainer on the PATH of their start.
  const { PATH } = process.env;
  Object.assign(process.env, { PATH: withTrainer(), FAKE_STEPS: '2000', FAKE_STEP_MS: '100' });
  const ray = new Ray(BASE_PORT, 4);
  await ray.start();
  process.env['PATH'] = PATH;
  delete process.env['FAKE_STEPS'];
  delete process.env['FAKE_STEP_MS'];
  state = join(ray.folder, 'state-of-jobs');
  return {
    workspace: (folder: string) => {
      mkdirSync(join(folder, '.vscode'));
      const settings = { 'headroom.target.gpu': 'RTX 4090' };
      writeFileSync(join(folder, '.vscode/settings.json'), JSON.stringify(settings));
      writeFileSync(join(folder, 'tune.yaml'), SMALL);
    },
    env: { HEADROOM_STATE: state, RAY_AUTH_TOKEN: ray.token },
    machineSettings: { 'headroom.hosts': [{ ray: ray.address }] },
    timeout: SLOW_MS,
    end: () => ray.end(),
  };
}

journeyInVSCode('a job of Ray', cluster, step => {
  step('the user chooses a cluster with any GPUs', async vs => {
    await vs.open('tune.yaml');
    await vs.codeLenses(/Run …/);
    await vs.clickLens('Run …');
    const rows = await vs.picks(/^Ray .*4 of 4 GPUs free/);
    assert.match(
      rows.find(text => text.startsWith('Ray'))!,
      /GPU type unknown/,
    );
  });

  step('one screen shows what is submitted', async vs => {
    await vs.pick('Ray ');
    const text = await startScreen(vs);
    assert.match(text, /Where: Ray at http:\/\/127\.0\.0\.1:28540, 1 GPU/);
    assert.match(text, /Needs: ≈ .*: fits the target GPU; the actual GPU is unknown/);
    assert.match(text, /Requests: the cluster's defaults for CPUs and memory/);
    assert.match(text, /Submits a job to Ray at .*, with one GPU\. Copies \d+ files/);
    assert.match(text, /Write results to a persistent path/);
  });

  step('output and progress come from the cluster', async vs => {
    await vs.dialog('Start');
    await vs.terminalRow(/'loss': [\d.]+/);
    await vs.status(JOBS, /tune\.yaml \d+ of 2,000/);
    assert.deepEqual(records()[0]!.place, { engine: 'ray', address: 'http://127.0.0.1:28540' });
  });

  step('a reloaded window shows it again on its own card', async vs => {
    await vs.reload();
    await vs.open('tune.yaml');
    await vs.status(JOBS, /tune\.yaml \d+ of 2,000/);
    await vs.command('Headroom: Show Jobs');
    const page = await vs.webview('.job');
    assert.match(await page.locator('.job .badge').first().innerText(), /^Ray at/);
    await page.locator('.job .metric-loss').first().waitFor();
  });

  step('stopping it stops the remote run', async vs => {
    await vs.command('Headroom: Stop Job');
    await noJobs(vs);
    assert.equal(records()[0]!.state, 'stopped');
  });
});
