// Jobs of a real Slurm from a window: a local partition and one behind a login node, with the requested time;
// followed,
// found again by a reloaded window, stopped, fetched.
import { SshBench, whyNoSshd } from '../services/ssh/sshd';
import { Slurm, whyNoSlurm } from '../services/slurm/slurm';
import type { VSCode } from '../host/driver';
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../../scripts/lib/root.mjs';
import { JOBS, noJobs, recordsIn, SMALL, startScreen, withTrainer } from './trainer';
import { journeyInVSCode } from './window';

const BASE_PORT = 17_930;

let state: string;
let slurm: Slurm;
const records = () => recordsIn(state);

async function cluster() {
  const reason = whyNoSlurm() ?? whyNoSshd();
  if (reason !== null) return { skip: () => reason };
  slurm = new Slurm(BASE_PORT);
  await slurm.start();
  const home = join(slurm.folder, 'home');
  mkdirSync(home);
  state = join(slurm.folder, 'state-of-jobs');
  const bench = new SshBench();
  const trainer = { SLURM_CONF: slurm.conf, HOME: home, FAKE_STEPS: '2000', FAKE_STEP_MS: '100' };
  const path = [join(root, 'test/fixtures/jobs'), dirname(process.execPath), '/usr/bin', '/bin'].join(':');
  await bench.serve('login', null, { path, environment: trainer });
  return {
    workspace: (folder: string) => {
      mkdirSync(join(folder, '.vscode'));
      const settings = { 'headroom.target.gpu': 'A100 40GB' };
      writeFileSync(join(folder, '.vscode/settings.json'), JSON.stringify(settings));
      writeFileSync(join(folder, 'tune.yaml'), SMALL);
    },
    env: { ...trainer, HEADROOM_STATE: state, PATH: withTrainer() },
    machineSettings: {
      'headroom.ssh.configFile': bench.configFile,
      'headroom.hosts': [{ slurm: true }, { slurm: 'login', name: 'Lab' }],
    },
    end: async () => {
      await bench.end();
      await slurm.end();
    },
  };
}

async function choose(vs: VSCode, place: string): Promise<readonly string[]> {
  await vs.open('tune.yaml');
  await vs.codeLenses(/Run …/);
  await vs.clickLens('Run …');
  const rows = await vs.picks(new RegExp(`^${place}`));
  await vs.pick(place);
  return rows;
}

journeyInVSCode('a job of Slurm', cluster, step => {
  step('the partition picker shows free resources', async vs => {
    await vs.open('tune.yaml');
    await vs.codeLenses(/Run …/);
    await vs.clickLens('Run …');
    const rows = await vs.picks(/^Slurm, gpu/);
    const row = rows.find(text => text.startsWith('Slurm, gpu'));
    assert.match(row!, /A100 SXM4 40GB · 40 GB · fits/);
  });

  step('one screen shows the request to Slurm', async vs => {
    await vs.pick('Slurm, gpu');
    const text = await startScreen(vs);
    assert.match(text, /axolotl train tune\.yaml/);
    assert.match(text, /Where: Slurm, partition gpu, 1 GPU/);
    assert.match(text, /Requests: the partition's defaults for time, CPUs and memory/);
    assert.match(text, /Environment: current shell/);
    assert.match(text, /Writes: out/);
    assert.match(text, /Submits a job to Slurm: --job-name=headroom-ID --partition=gpu .*--gres=gpu:a100:1/);
  });

  step('the user adds time and memory to the request', async vs => {
    await vs.dialog('Change Resources');
    await vs.picks(/^Time, the default/);
    await vs.pick('Time');
    await vs.answer('1.5 h');
    await vs.picks(/^Time, 1 h 30 min/);
    await vs.pick('Memory');
    await vs.answer('100 MB');
    await vs.picks(/^Memory, 100 MB/);
  });

  step('the screen shows both', async vs => {
    await vs.pick('Continue');
    const text = await startScreen(vs);
    assert.match(text, /Requests: 1 h 30 min at most; 100 MB of host RAM/);
    assert.match(text, /--mem=100M --time=90/);
  });

  step('output and progress update', async vs => {
    await vs.dialog('Start');
    await vs.terminalRow(/'loss': [\d.]+/);
    await vs.status(JOBS, /tune\.yaml \d+ of 2,000/);
    const { place, limits, handle } = records()[0]!;
    assert.deepEqual(place, { engine: 'slurm', alias: null, partition: 'gpu' });
    assert.deepEqual([limits.timeMinutes, limits.memoryMiB], [90, 100]);
    assert.equal(
      slurm.run('squeue', '-h', '-j', String(handle?.['slurm']), '-o', '%l %P %T'),
      '1:30:00 gpu RUNNING',
    );
  });

  step('a reloaded window shows it again on its own card', async vs => {
    await vs.reload();
    await vs.open('tune.yaml');
    await vs.status(JOBS, /tune\.yaml \d+ of 2,000/);
    assert.equal(records().length, 1);
    await vs.command('Headroom: Show Jobs');
    const page = await vs.webview('.job');
    assert.equal(await page.locator('.job .badge').first().innerText(), 'Slurm, partition gpu');
    await page.locator('.job .metric-loss').first().waitFor();
  });

  step('stopping it cancels the Slurm job', async vs => {
    await vs.command('Headroom: Stop Job');
    await noJobs(vs);
    const { state: last, handle } = records()[0]!;
    assert.equal(last, 'stopped');
    assert.equal(slurm.run('squeue', '-h', '-j', String(handle?.['slurm']), '-t', 'RUNNING'), '');
  });

  step('the folder is copied to the login node', async vs => {
    await choose(vs, 'Lab, gpu');
    const first = await startScreen(vs);
    assert.match(first, /Where: Slurm, partition gpu, through login, 1 GPU/);
    assert.match(first, /Copies \d+ files .* to login:~\/\.headroom\/jobs/);
    assert.match(first, /Requests: the partition's defaults/);
    await vs.dialog('Start');
    await vs.terminalRow(/'loss': [\d.]+/);
    await vs.status(JOBS, /tune\.yaml \d+ of 2,000/);
    assert.match(JSON.stringify(records().at(-1)!.place), /"alias":"login"/);
  });

  step('the results are fetched', async vs => {
    await vs.command('Headroom: Stop Job');
    await noJobs(vs);
    await vs.command('Headroom: Download Job Results');
    await vs.picks(/Choose Folder/);
    await vs.pick('headroom-');
    const { id } = records().at(-1)!;
    await vs.until('the results', () => existsSync(vs.path(`headroom-${id}/out/adapter_config.json`)));
    await vs.notifications(/Downloaded .* to headroom-/);
  });

  step('a partition says that its nodes are down, and a job sent there waits', async vs => {
    await vs.clearNotifications();
    await vs.open('tune.yaml');
    await vs.clickLens('Run …');
    const rows = await vs.picks(/^Slurm, old/);
    assert.match(
      rows.find(text => text.startsWith('Slurm, old'))!,
      /0 of 8 GPUs free; 1 of 1 node down/,
    );
    await vs.pick('Slurm, old');
    await startScreen(vs);
    await vs.dialog('Start');
    await vs.status(JOBS, /waits/);
    // The status bar shows a job before its terminal exists, which then covers what was opened meanwhile.
    await vs.terminalRow(new RegExp(`job ${records().at(-1)!.id}`));
    await vs.command('Headroom: Show Jobs');
    const page = await vs.webview('.job');
    const words = page.locator('.job .job-words').first();
    await vs.until('why it waits', async () =>
      (await words.innerText()).includes('waits for a node that is not available'),
    );
  });

  step('a partition’s last request is the next default', async vs => {
    await choose(vs, 'Slurm, gpu');
    assert.match(await startScreen(vs), /Requests: 1 h 30 min at most; 100 MB/);
    await vs.dialog('Cancel');
  });

  step('a waiting job is canceled like any other', async vs => {
    await vs.command('Headroom: Stop Job');
    await noJobs(vs);
    assert.equal(records().at(-1)!.state, 'stopped');
  });
});
