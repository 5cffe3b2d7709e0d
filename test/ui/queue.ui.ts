// This machine's queue in a window: a job that fits the card, but not next to another, waits visibly for its turn;
// it can be
// canceled, and the next one starts when there is room.
import { fakeGpus } from '../jobs/fakeGpus';
import type { VSCode } from '../host/driver';
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noJobs, recordsIn, SMALL, startScreen, withTrainer } from './trainer';
import { journeyInVSCode } from './window';
import { signalIfThere } from '../signals';

/** Two of them do not fit a GPU with 24 GB. */
const LARGE = SMALL.replace('Llama-3.2-1B', 'Meta-Llama-3-8B').replace(
  'sequence_len: 1024',
  'sequence_len: 2048',
);

let state: string;
const states = () => recordsIn(state).map(record => record.state);

/** Processes that reported at least once that they hold memory. */
const holders = (folder: string) =>
  readdirSync(join(folder, 'held'))
    .filter(name => /^\d+$/.test(name))
    .map(Number);

function oneGpu(more: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'headroom-ui-queue-'));
  fakeGpus(folder, 16 * 1024, ['GPU-1']);
  state = join(folder, 'state');
  return {
    workspace: (work: string) => {
      mkdirSync(join(work, '.vscode'));
      writeFileSync(join(work, '.vscode/settings.json'), '{ "headroom.target.gpu": "16GB" }');
      for (const name of ['first', 'second', 'third']) writeFileSync(join(work, `${name}.yaml`), LARGE);
    },
    env: {
      ...{ HEADROOM_STATE: state, PATH: withTrainer(folder), FAKE_STEPS: '5000', FAKE_STEP_MS: '100' },
      ...{ FAKE_HOLD: join(folder, 'held'), FAKE_HOLD_MIB: '9000' },
      ...more,
    },
    end: () => {
      for (const pid of holders(folder)) signalIfThere(pid, 'SIGTERM');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function asked(vs: VSCode, file: string) {
  await vs.open(file);
  await vs.codeLenses(/Run …/);
  await vs.clickLens('Run …');
  await vs.picks(/^This machine.*A100/);
  await vs.pick('This machine');
  return startScreen(vs);
}

const card = async (vs: VSCode, name: string) =>
  (await vs.webview('.job')).locator('.job', { has: vs.page.locator(`h3:text-is("${name}")`) });

journeyInVSCode(
  'the queue',
  () => oneGpu(),
  step => {
    step('a job on a free GPU starts at once', async vs => {
      assert.match(await asked(vs, 'first.yaml'), /Needs: .*of 16 GB: fits/);
      await vs.dialog('Start');
      await vs.terminalRow(/'loss': [\d.]+/);
    });

    step('the start screen says that the next job will wait', async vs => {
      const text = await asked(vs, 'second.yaml');
      assert.match(text, /most free now: GPU 0 \(A100-SXM4-80GB, [\d.]+ of 16 GB free\)/);
      assert.match(text, /fits the GPU, but not with what runs on it now; the job waits for free memory/);
    });

    step('its terminal and card say what it waits for', async vs => {
      await vs.dialog('Queue');
      await vs.terminalRow(/waits for [\d.]+ GB on a GPU/);
      await vs.command('Headroom: Show Jobs');
      const words = (await card(vs, 'train second.yaml')).locator('.job-words');
      await vs.until('why it waits', async () =>
        /waits for [\d.]+ GB on a GPU: at most [\d.]+ [GM]B is free, on GPU 0/.test(await words.innerText()),
      );
    });

    step('a later job learns which jobs come first', async vs => {
      assert.match(await asked(vs, 'third.yaml'), /Runs after train second\.yaml \(\w{6}\)\./);
      await vs.dialog('Queue');
      await vs.terminalRow(/waits behind \S+ \(train second\.yaml\)/);
      assert.deepEqual(states(), ['running', 'queued', 'queued']);
    });

    step('a canceled job in the queue never starts', async vs => {
      await vs.command('Headroom: Show Jobs');
      const second = await card(vs, 'train second.yaml');
      await second.locator('button[aria-label="Stop train second.yaml"]').click();
      await vs.until('it is stopped', () => states()[1] === 'stopped');
      await vs.until('words', async () => (await second.locator('.state').innerText()).includes('stopped'));
      assert.equal(recordsIn(state)[1]!.startedMs, null);
    });

    step('the next job starts when there is room', async vs => {
      const first = await card(vs, 'train first.yaml');
      await first.locator('button[aria-label="Stop train first.yaml"]').click();
      await vs.until('its turn', () => states()[2] === 'running');
      await vs.notifications(/train first\.yaml: stopped\. 8\.8 GB was freed on GPU 0/);
      await vs.command('Headroom: Show Jobs');
      await vs.until('its progress', async () =>
        /\d+ of 5,000/.test(await (await card(vs, 'train third.yaml')).locator('.job-words').innerText()),
      );
    });

    step('it can be stopped too', async vs => {
      const third = await card(vs, 'train third.yaml');
      await third.locator('button[aria-label="Stop train third.yaml"]').click();
      await noJobs(vs);
      assert.deepEqual(states(), ['stopped', 'stopped', 'stopped']);
    });
  },
);

journeyInVSCode(
  'a job that leaves a worker on its GPU',
  () => oneGpu({ FAKE_LEFT_MIB: '3000' }),
  step => {
    step('starts', async vs => {
      await asked(vs, 'first.yaml');
      await vs.dialog('Start');
      await vs.terminalRow(/'loss': [\d.]+/);
    });

    step('after a stop, a message says who still holds memory, and what to do', async vs => {
      await vs.command('Headroom: Stop Job');
      const left = /It has ended, but trainer \(\d+\) still uses 2\.9 GB/;
      const texts = await vs.notifications(left);
      const told = texts.filter(text => /train first\.yaml: .*still uses/.test(text));
      assert.equal(told.length, 1, texts.join('\n'));
      assert.match(told[0]!, /train first\.yaml: stopped\. It has ended/);
      assert.deepEqual(states(), ['stopped']);
      assert.match(recordsIn(state)[0]!.message!, left);
    });

    step('its card says so too', async vs => {
      await vs.command('Headroom: Show Jobs');
      const words = (await card(vs, 'train first.yaml')).locator('.job-words');
      await vs.until('who holds it', async () =>
        /trainer \(\d+\) still uses 2\.9 GB/.test(await words.innerText()),
      );
    });
  },
);
