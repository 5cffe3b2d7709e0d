// Optimize GPU Config: plans, preview, apply with backups, undo, also after a reload and when somebody edited since.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/lib/root.mjs';
import { PLAN } from './plans.mjs';
import { inVSCode } from './window.mjs';

const FILE = 'trl/qwen2.5-7b-sft.yaml';
const original = readFileSync(join(root, 'media/sample', FILE), 'utf8');

const optimize = vs => vs.command('Headroom: Optimize GPU Config');
const undo = vs => vs.command('Headroom: Undo Last Optimization');
/** Whole and different: a file that is being written is shorter for a moment. */
const changed = vs =>
  vs.until('changed file', () => vs.read(FILE) !== original && vs.read(FILE).endsWith('report_to: none\n'));
const restored = vs => vs.until('restored file', () => vs.read(FILE) === original);

/** As far as the question whether to apply. */
async function choosePlan(vs) {
  await optimize(vs);
  await vs.picks(PLAN);
  await vs.page.keyboard.press('Enter');
  await vs.picks(/apply/i);
}

async function applyFirstPlan(vs) {
  await choosePlan(vs);
  await vs.page.keyboard.press('Enter');
  await changed(vs);
}

const settings = { 'headroom.optimize.onChoose': 'diff' };

inVSCode('optimize', { workspace: 'media/sample', settings }, test => {
  test('lists plans, best first, with what was not used', async vs => {
    await vs.open(FILE);
    await vs.codeLenses(/does not fit/);
    await optimize(vs);
    const plans = await vs.picks(PLAN);
    assert.match(plans[0], /→.*−\d+\.\d GB/);
  });

  test('shows a plan as a diff before anything is written', async vs => {
    await vs.page.keyboard.press('Enter');
    const decisions = await vs.picks(/Apply/);
    assert.ok(decisions.some(label => /Back to the plans/.test(label)));
    assert.ok(decisions.some(label => /memory: .* of 24 GB/.test(label)));
    const { original: before, modified: after } = await vs.diff();
    assert.notDeepEqual(before, after);
    assert.equal(vs.read(FILE), original);
  });

  test('goes back to the plans and leaves without a trace', async vs => {
    await vs.pick('Back to the plans');
    await vs.picks(PLAN);
    await vs.escape();
    await vs.until('end of the preview', async () => (await vs.tabs()).join() === 'qwen2.5-7b-sft.yaml');
    assert.equal(vs.read(FILE), original);
  });

  test('applies a plan, saves, and keeps a backup', async vs => {
    await applyFirstPlan(vs);
    assert.equal(vs.read(`${FILE}.backup`), original);
    await vs.codeLenses(/GB of 24 GB · (fits|tight)/);
    await vs.notifications(/Applied/);
  });

  test('takes it back, with the backup that is no longer needed', async vs => {
    await vs.clearNotifications();
    await undo(vs);
    await restored(vs);
    await vs.until('no backup', () => !existsSync(vs.path(`${FILE}.backup`)));
  });

  test('never overwrites an older backup', async vs => {
    writeFileSync(vs.path(`${FILE}.backup`), 'mine');
    await applyFirstPlan(vs);
    assert.equal(vs.read(`${FILE}.backup`), 'mine');
    assert.equal(vs.read(`${FILE}.backup.1`), original);
  });

  test('takes it back after a reload', async vs => {
    await vs.reload();
    await vs.codeLenses(/GB of 24 GB/);
    await undo(vs);
    await restored(vs);
    assert.equal(vs.read(`${FILE}.backup`), 'mine');
  });

  test('refuses, and names the file, when it was edited since', async vs => {
    await applyFirstPlan(vs);
    await vs.notifications(/Applied/);
    const edited = `${vs.read(FILE)}# mine\n`;
    writeFileSync(vs.path(FILE), edited);
    await undo(vs);
    const [message] = (await vs.notifications(/edited since/)).filter(text => /edited since/.test(text));
    assert.match(message, /trl\/qwen2\.5-7b-sft\.yaml was edited since.*backup/);
    assert.equal(vs.read(FILE), edited);
  });
});

inVSCode('optimize with care', { workspace: 'media/sample', settings }, test => {
  test('does not touch a read-only file', async vs => {
    chmodSync(vs.path(FILE), 0o444);
    await vs.open(FILE);
    await vs.codeLenses(/does not fit/);
    await choosePlan(vs);
    await vs.page.keyboard.press('Enter');
    await vs.notifications(/trl\/qwen2\.5-7b-sft\.yaml is read-only, so nothing was changed/);
    assert.equal(vs.read(FILE), original);
    assert.equal(existsSync(vs.path(`${FILE}.backup`)), false);
    chmodSync(vs.path(FILE), 0o644);
    await vs.clearNotifications();
  });

  test('does not overwrite what changed meanwhile', async vs => {
    await choosePlan(vs);
    const other = `# by somebody else\n${original}`;
    writeFileSync(vs.path(FILE), other);
    await vs.page.waitForTimeout(1500);
    await vs.page.keyboard.press('Enter');
    await vs.notifications(/changed during the search|Couldn't save/);
    assert.equal(vs.read(FILE), other);
    await vs.clearNotifications();
    writeFileSync(vs.path(FILE), original);
  });

  test('asks what to do with unsaved changes', async vs => {
    await vs.page.keyboard.press('Control+Home');
    await vs.type('# unsaved ');
    await vs.line(/# unsaved/);
    await choosePlan(vs);
    const decisions = await vs.picks(/Apply/i);
    assert.ok(decisions.some(label => /Save trl\/qwen2\.5-7b-sft\.yaml and apply/.test(label)));
    assert.ok(decisions.some(label => /Apply and leave trl\/qwen2\.5-7b-sft\.yaml unsaved/.test(label)));
  });

  test('leaves them unsaved when told so, and takes only itself back', async vs => {
    await vs.pick('Apply and leave');
    await vs.codeLenses(/· (fits|tight) ·/);
    assert.equal(vs.read(FILE), original);
    assert.equal(existsSync(vs.path(`${FILE}.backup`)), false);
    await undo(vs);
    await vs.codeLenses(/does not fit/);
    await vs.line(/# unsaved/);
  });
});

inVSCode('optimize in two actions @gate', { workspace: 'media/sample' }, test => {
  test('the lens, and a plan that is clicked', async vs => {
    await vs.open(FILE);
    await vs.codeLenses(/does not fit/);
    await vs.clickLens(/Optimize/);
    const [plan] = await vs.picks(PLAN);
    await vs.pick(plan.slice(0, 30));
    await changed(vs);
    await vs.codeLenses(/GB of 24 GB · (fits|tight)/);
    assert.equal(vs.read(`${FILE}.backup`), original);
    await vs.notifications(/Applied/);
    await vs.notificationButton('Undo');
    await restored(vs);
    await vs.clearNotifications();
  });

  test('Ctrl+. and Enter on the key that is marked', async vs => {
    await vs.codeLenses(/does not fit/);
    await vs.fixes('per_device_train_batch_size', PLAN);
    await vs.page.keyboard.press('Enter');
    await vs.codeLenses(/GB of 24 GB · (fits|tight)/);
    await vs.undo();
    await vs.codeLenses(/does not fit/);
    assert.equal(vs.read(FILE), original);
  });

  test('asks first where there are unsaved changes', async vs => {
    await vs.page.keyboard.press('Control+Home');
    await vs.type('# unsaved ');
    await vs.line(/# unsaved/);
    await optimize(vs);
    await vs.picks(PLAN);
    await vs.page.keyboard.press('Enter');
    const decisions = await vs.picks(/Apply and leave/);
    assert.ok(decisions.some(label => /Choose change by change/.test(label)));
    await vs.escape();
    assert.equal(vs.read(FILE), original);
  });
});
