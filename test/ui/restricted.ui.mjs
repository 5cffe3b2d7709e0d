// Restricted Mode: nothing is run, measured or connected to; each command says so and leads to where the folder is trusted. Once it
// is, the same command works.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SMALL, startScreen, withTrainer } from './trainer.mjs';
import { inVSCode } from './window.mjs';

const state = mkdtempSync(join(tmpdir(), 'headroom-ui-restricted-'));
process.once('exit', () => rmSync(state, { recursive: true, force: true }));

const EMBEDDING = `embeddings:
  model_path: ./model
data: { path: texts.jsonl }
output: { path: vectors }
`;

function configs(folder) {
  mkdirSync(join(folder, '.vscode'));
  writeFileSync(join(folder, '.vscode/settings.json'), '{ "headroom.target.gpu": "RTX 4090" }');
  writeFileSync(join(folder, 'tune.yaml'), SMALL);
  writeFileSync(join(folder, 'embed.yaml'), EMBEDDING);
}

const env = { HEADROOM_STATE: state, PATH: withTrainer() };

inVSCode('a folder that is not trusted @gate', { workspace: configs, env, trust: false }, test => {
  test('is analysed, and offers no start above its configs', async vs => {
    await vs.open('tune.yaml');
    const lenses = await vs.codeLenses(/of 24 GB · fits/);
    assert.ok(!lenses.some(text => /Run …/.test(text)), lenses.join('\n'));
  });

  test('no job is run, and it says why', async vs => {
    await vs.command('Headroom: Run Job');
    await vs.notifications(
      /Jobs are unavailable in Restricted Mode\. Trust the workspace first/,
    );
    assert.deepEqual(readdirSync(state), []);
  });

  test('no embedding either', async vs => {
    await vs.clearNotifications();
    await vs.open('embed.yaml');
    await vs.command('Headroom: Run Job');
    await vs.notifications(/Jobs are unavailable in Restricted Mode/);
    await vs.clearNotifications();
  });

  test('no config is profiled', async vs => {
    await vs.open('tune.yaml');
    await vs.command('Headroom: Profile This Config');
    await vs.notifications(/Profiling is unavailable in Restricted Mode/);
  });

  test('and a button leads to where it is trusted', async vs => {
    await vs.notificationButton('Manage Workspace Trust');
    await vs.page.locator('.workspace-trust-editor').waitFor();
    assert.equal(await vs.restricted(), true);
  });

  test('trusted, it is offered, and asks where to', async vs => {
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
    assert.match(await startScreen(vs), /Start “train tune\.yaml”\?/);
    await vs.dialog('Cancel');
  });
});
