// A job on a host behind a real sshd, from a window: chosen with the run's estimate there, followed, found again by
// a reloaded window, stopped, fetched; and all of it without a mouse, in high contrast. The host's trainer prints
// what a real one prints.
import { tinyTexts, writeTinyModel } from '../unit/embed/tinyModel';
import { SshBench, whyNoSshd, ONE_GPU } from '../services/ssh/sshd';
import type { VSCode } from '../host/driver';
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../../scripts/lib/root.mjs';
import { chooseByKeys, commandByKeys, countPresses, focused, noPress, openByKeys, walkTo } from './byKeys';
import { JOBS, noJobs, recordsIn, SMALL, startScreen } from './trainer';
import { journeyInVSCode } from './window';

let folder: string;
const records = () => recordsIn(join(folder, 'state'));

/** A host with a GPU, a trainer, and a separate home folder. */
async function oneHost(theme = 'Dark Modern', fill: (work: string) => void = () => undefined) {
  const reason = whyNoSshd();
  if (reason !== null) return { skip: () => reason };
  const bench = new SshBench();
  folder = bench.folder;
  const home = join(folder, 'home');
  mkdirSync(home);
  const recordings = join(root, 'test/fixtures/telemetry');
  const path = [recordings, join(root, 'test/fixtures/jobs'), dirname(process.execPath), '/usr/bin', '/bin'];
  const environment = { HOME: home, FAKE_STEPS: '2000', FAKE_STEP_MS: '100' };
  await bench.serve('gpu-box', ONE_GPU, { path: path.join(':'), environment });
  return {
    workspace: (work: string) => {
      mkdirSync(join(work, '.vscode'));
      const settings = { 'headroom.target.gpu': 'RTX 4080 SUPER' };
      writeFileSync(join(work, '.vscode/settings.json'), JSON.stringify(settings));
      writeFileSync(join(work, 'tune.yaml'), SMALL);
      fill(work);
    },
    env: { HEADROOM_STATE: join(folder, 'state') },
    machineSettings: { 'headroom.ssh.configFile': bench.configFile, 'headroom.hosts': ['gpu-box'] },
    end: () => bench.end(),
    theme,
  };
}

journeyInVSCode(
  'a job on a host',
  () => oneHost(),
  step => {
    step('the place picker shows whether the run fits there', async vs => {
      await vs.open('tune.yaml');
      await vs.codeLenses(/Run …/);
      await vs.clickLens('Run …');
      const rows = await vs.picks(/^gpu-box.*RTX 4080 SUPER/);
      assert.ok(
        rows.some(row => row.startsWith('This machine')),
        rows.join('\n'),
      );
    });

    step('one screen shows the copied files and the GPU', async vs => {
      await vs.pick('gpu-box');
      const box = vs.page.locator('.monaco-dialog-box');
      await box.waitFor();
      const text = await box.innerText();
      assert.match(text, /Where: gpu-box, GPU 0 \(GeForce RTX 4080 SUPER/);
      assert.match(text, /Copies \d+ files .* to gpu-box:~\/\.headroom\/jobs/);
    });

    step('output and progress come from the host', async vs => {
      await vs.dialog(/Start|Run Anyway/);
      await vs.terminalRow(/'loss': [\d.]+/);
      await vs.status(JOBS, /tune\.yaml \d+ of 2,000/);
      const { place, gpus } = records()[0]!;
      assert.deepEqual(place, { engine: 'ssh', alias: 'gpu-box', folder: null });
      assert.equal(gpus.uuids.length, 1);
    });

    step('a reloaded window shows it again', async vs => {
      await vs.reload();
      await vs.open('tune.yaml');
      await vs.status(JOBS, /tune\.yaml \d+ of 2,000/);
      assert.equal(records().length, 1);
      await vs.command('Headroom: Show Jobs');
      const page = await vs.webview('.job');
      assert.equal(await page.locator('.job .badge').first().innerText(), 'gpu-box');
    });

    step('stopping it stops the remote run', async vs => {
      await vs.command('Headroom: Stop Job');
      await vs.until('no job in the status bar', async () => !(await vs.hasStatus(JOBS)));
      const { state, exit } = records()[0]!;
      assert.deepEqual([state, exit?.code], ['stopped', 130]);
    });

    step('the results are fetched into the workspace', async vs => {
      await vs.command('Headroom: Download Job Results');
      await vs.picks(/Choose Folder/);
      await vs.pick('headroom-');
      const { id } = records()[0]!;
      const fetched = vs.path(`headroom-${id}/out/adapter_config.json`);
      await vs.until('the results', () => existsSync(fetched));
      await vs.notifications(/Downloaded 1 file of train tune\.yaml to headroom-/);
    });
  },
);

const EMBEDDING = `embeddings:
  model_path: ./model
  device: cpu
data:
  path: texts.jsonl
output:
  path: vectors
`;

/** The same host, with texts and a model next to the config. */
async function hostAndTexts(theme: string) {
  const fill = (work: string) => {
    writeFileSync(join(work, 'embed.yaml'), EMBEDDING);
    const lines = tinyTexts(40).map((text: string, at: number) => JSON.stringify({ id: `t${at}`, text }));
    writeFileSync(join(work, 'texts.jsonl'), `${lines.join('\n')}\n`);
    writeTinyModel(join(work, 'model'));
  };
  return oneHost(theme, fill);
}

const notified = async (vs: VSCode, expected: RegExp) => {
  await commandByKeys(vs, 'Notifications: Show Notifications');
  await vs.until(`notification ${expected}`, async () =>
    (await vs.page.locator('.notification-list-item-message').allInnerTexts()).some((text: string) =>
      expected.test(text),
    ),
  );
};

journeyInVSCode(
  'without a mouse in high contrast',
  () => hostAndTexts('Default High Contrast'),
  step => {
    step('the user chooses a place', async vs => {
      await vs.page.locator('.monaco-workbench').waitFor();
      await countPresses(vs);
      await openByKeys(vs, 'tune.yaml');
      await vs.codeLenses(/Run …/);
      await commandByKeys(vs, 'Headroom: Run Job');
      await vs.picks(/^gpu-box.*RTX 4080 SUPER/);
      await walkTo(vs, 'gpu-box');
    });

    step('the start screen focuses the start', async vs => {
      await vs.page.keyboard.press('Enter');
      assert.match(await startScreen(vs), /Where: gpu-box, GPU 0/);
      assert.match(await focused(vs), /^(Start|Run Anyway)$/);
    });

    step('Enter starts it', async vs => {
      await vs.page.keyboard.press('Enter');
      await vs.terminalRow(/'loss': [\d.]+/);
      await vs.status(JOBS, /tune\.yaml \d+ of 2,000/);
    });

    step('it stops, and the user asks for the results', async vs => {
      await commandByKeys(vs, 'Headroom: Stop Job');
      await noJobs(vs);
      await commandByKeys(vs, 'Headroom: Download Job Results');
      await vs.picks(/Choose Folder/);
      await walkTo(vs, 'headroom-');
    });

    step('the results are fetched', async vs => {
      await vs.page.keyboard.press('Enter');
      const { id } = records()[0]!;
      await vs.until('the results', () => existsSync(vs.path(`headroom-${id}/out/adapter_config.json`)));
      await notified(vs, /Downloaded 1 file of train tune\.yaml to headroom-/);
    });

    step('one screen takes all settings of an embedding', async vs => {
      await commandByKeys(vs, 'Notifications: Clear All Notifications');
      await openByKeys(vs, 'embed.yaml');
      await vs.codeLenses(/Embed …/);
      await commandByKeys(vs, 'Headroom: Run Job');
      await vs.picks(/^This machine/);
      await chooseByKeys(vs, 'This machine');
      assert.match(await startScreen(vs), /Start “embed embed\.yaml”\?/);
      assert.equal(await focused(vs), 'Start');
    });

    step('it starts, shows after a reload, and finishes', async vs => {
      await vs.page.keyboard.press('Enter');
      await vs.terminalRow(/vectors: \(40, 32\) in 1 file/);
      await vs.terminalRow(/^succeeded/);
      // Dimmed text has less contrast than the theme's normal text.
      assert.equal(await vs.page.locator('.xterm-rows .xterm-dim').count(), 0);
      await noPress(vs);
    });
  },
);
