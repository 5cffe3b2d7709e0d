// Restricted Mode: nothing is run, measured or connected to; each command explains that and offers to trust the
// folder.
// Once it is trusted, the same command works.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratch, SMALL, startScreen, withTrainer } from './trainer';
import { inVSCode } from './window';
import { signalTo } from '../signals';

const state = scratch('restricted');

const EMBEDDING = `embeddings:
  model_path: ./model
data: { path: texts.jsonl }
output: { path: vectors }
`;

function configs(folder: string): void {
  mkdirSync(join(folder, '.vscode'));
  writeFileSync(join(folder, '.vscode/settings.json'), '{ "headroom.target.gpu": "RTX 4090" }');
  writeFileSync(join(folder, 'tune.yaml'), SMALL);
  writeFileSync(join(folder, 'embed.yaml'), EMBEDDING);
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** The processes of this machine, on Linux. */
function processes(): readonly Process[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(name => {
      try {
        const parent = /^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1];
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8');
        return [{ pid: Number(name), parent: Number(parent), command }];
      } catch {
        return [];
      }
    });
}

/** The worker processes of windows that this process opened. */
function ownWorkers(): readonly Process[] {
  const all = new Map(processes().map(one => [one.pid, one]));
  const isOwn = ({ parent }: Process): boolean => {
    const above = all.get(parent);
    return parent === process.pid || (above !== undefined && isOwn(above));
  };
  return [...all.values()].filter(one => /dist[\\/]worker\.js/.test(one.command) && isOwn(one));
}

const env = { HEADROOM_STATE: state, PATH: withTrainer() };

inVSCode('a folder that is not trusted @gate', { workspace: configs, env, trust: false }, test => {
  test('is analyzed, starts no job, embedding or dry run, and each says why', async vs => {
    await vs.open('tune.yaml');
    const lenses = await vs.codeLenses(/of 24 GB · fits/);
    assert.ok(!lenses.some(text => text.includes('Run …')), lenses.join('\n'));
    await vs.command('Headroom: Run Job');
    await vs.notifications(/Jobs are unavailable in Restricted Mode\. Trust the workspace first/);
    await vs.clearNotifications();
    await vs.command('Headroom: Profile This Config');
    await vs.notifications(/Profiling is unavailable in Restricted Mode/);
    await vs.clearNotifications();
    await vs.open('embed.yaml');
    await vs.command('Headroom: Run Job');
    await vs.notifications(/Jobs are unavailable in Restricted Mode/);
    assert.deepEqual(readdirSync(state), []);
  });

  test('has its files read in a process of their own', async vs => {
    if (process.platform !== 'linux') return;
    await vs.open('tune.yaml');
    await vs.codeLenses(/of 24 GB · fits/);
    assert.equal(await vs.restricted(), true);
    const [worker] = ownWorkers();
    assert.ok(worker);
    // An edit needs a worker again: the window reads nothing by itself.
    signalTo(worker.pid, 'SIGKILL');
    await vs.until('the end of the worker', () =>
      Promise.resolve(!ownWorkers().some(({ pid }) => pid === worker.pid)),
    );
    await vs.type(' ');
    await vs.codeLenses(/of 24 GB · fits/);
    await vs.until('another worker', () => Promise.resolve(ownWorkers().length > 0));
  });

  test("is trusted with the notification's button, and then asks where to run the job", async vs => {
    await vs.open('tune.yaml');
    await vs.command('Headroom: Run Job');
    await vs.notifications(/Jobs are unavailable in Restricted Mode/);
    await vs.notificationButton('Manage Workspace Trust');
    await vs.page.locator('.workspace-trust-editor').waitFor();
    assert.equal(await vs.restricted(), true);
    await vs.page
      .locator('.workspace-trust-editor .monaco-button', { hasText: /^Trust/ })
      .first()
      .click();
    await vs.until('trust', async () => !(await vs.restricted()));
    await vs.open('tune.yaml');
    await vs.codeLenses(/Run …/);
    await vs.clickLens('Run …');
    await vs.picks(/^This machine/);
    await vs.pick('This machine');
    assert.match(await startScreen(vs), /Start “train tune\.yaml”\?|“train tune\.yaml” needs a GPU/);
    await vs.dialog('Cancel');
  });
});
