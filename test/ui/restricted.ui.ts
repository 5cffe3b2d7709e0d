// Restricted Mode: nothing is run, measured or connected to; each command explains that and offers to trust the
// folder.
// Once it is trusted, the same command works.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratch, SMALL, startScreen, withTrainer } from './trainer';
import { inVSCode } from './window';

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
