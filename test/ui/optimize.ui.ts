// Optimize GPU Config: plans, preview, apply with backups, undo, also after a reload and after other edits.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/lib/root.mjs';
import type { VSCode } from '../host/driver';
import { inVSCode, PLAN } from './window';

const FILE = 'trl/qwen2.5-7b-sft.yaml';
const original = readFileSync(join(root, 'media/sample', FILE), 'utf8');

const optimize = (vs: VSCode) => vs.command('Headroom: Optimize GPU Config');
const undo = (vs: VSCode) => vs.command('Headroom: Undo Last Optimization');
/** Complete and different: a file is shorter for a moment while it is written. */
const changed = (vs: VSCode) =>
  vs.until('changed file', () => vs.read(FILE) !== original && vs.read(FILE).endsWith('report_to: none\n'));
const restored = (vs: VSCode) => vs.until('restored file', () => vs.read(FILE) === original);
const hasBackup = (vs: VSCode) => existsSync(vs.path(`${FILE}.backup`));

async function opened(vs: VSCode): Promise<void> {
  await vs.open(FILE);
  await vs.codeLenses(/does not fit/);
}

async function listed(vs: VSCode): Promise<readonly string[]> {
  await optimize(vs);
  return vs.picks(PLAN);
}

/** Goes to the question whether to apply. */
async function choosePlan(vs: VSCode): Promise<readonly string[]> {
  await listed(vs);
  await vs.page.keyboard.press('Enter');
  return vs.picks(/apply/i);
}

async function applyFirstPlan(vs: VSCode): Promise<void> {
  await choosePlan(vs);
  await vs.page.keyboard.press('Enter');
  await changed(vs);
}

async function typeUnsaved(vs: VSCode): Promise<void> {
  await vs.top();
  await vs.type('# unsaved ');
  await vs.line(/# unsaved/);
}

inVSCode('optimize', { workspace: 'media/sample' }, test => {
  test('lists plans, shows one as a diff, and leaves no trace', async vs => {
    await opened(vs);
    assert.match((await listed(vs))[0]!, /^(?:fits|tight) · \d+\.\d of 24 GB.*(?:→|: true).*−\d+\.\d GB/);
    await vs.page.keyboard.press('Enter');
    const decisions = await vs.picks(/Apply/);
    assert.ok(decisions.some(label => label.includes('Back to the plans')));
    assert.ok(decisions.some(label => /memory: .* of 24 GB/.test(label)));
    const { original: before, modified: after } = await vs.diff();
    assert.notDeepEqual(before, after);
    await vs.pick('Back to the plans');
    await vs.picks(PLAN);
    await vs.escape();
    await vs.until('end of the preview', async () => (await vs.tabs()).join() === 'qwen2.5-7b-sft.yaml');
    assert.equal(vs.read(FILE), original);
  });

  test('applies a plan with a backup, and undoes both', async vs => {
    await opened(vs);
    await applyFirstPlan(vs);
    assert.equal(vs.read(`${FILE}.backup`), original);
    await vs.codeLenses(/GB of 24 GB · (fits|tight)/);
    await vs.notifications(/Applied/);
    await vs.clearNotifications();
    await undo(vs);
    await restored(vs);
    await vs.until('no backup', () => !hasBackup(vs));
  });

  test('never overwrites an older backup, and undoes its own after a reload', async vs => {
    await opened(vs);
    writeFileSync(vs.path(`${FILE}.backup`), 'mine');
    await applyFirstPlan(vs);
    assert.equal(vs.read(`${FILE}.backup`), 'mine');
    assert.equal(vs.read(`${FILE}.backup.1`), original);
    await vs.reload();
    await vs.codeLenses(/GB of 24 GB/);
    await undo(vs);
    await restored(vs);
    assert.equal(vs.read(`${FILE}.backup`), 'mine');
  });

  test('refuses to undo, and names the file, if it was edited since', async vs => {
    await opened(vs);
    await applyFirstPlan(vs);
    await vs.notifications(/Applied/);
    const edited = `${vs.read(FILE)}# mine\n`;
    writeFileSync(vs.path(FILE), edited);
    await undo(vs);
    const message = (await vs.notifications(/was edited after/)).find(text => text.includes('was edited'));
    assert.match(message!, /trl\/qwen2\.5-7b-sft\.yaml was edited after the optimization.*backup/);
    assert.equal(vs.read(FILE), edited);
  });

  test('does not touch a read-only file', async vs => {
    chmodSync(vs.path(FILE), 0o444);
    await opened(vs);
    await choosePlan(vs);
    await vs.page.keyboard.press('Enter');
    await vs.notifications(/trl\/qwen2\.5-7b-sft\.yaml is read-only, so nothing was changed/);
    assert.equal(vs.read(FILE), original);
    assert.equal(hasBackup(vs), false);
  });

  test('does not overwrite a concurrent change', async vs => {
    await opened(vs);
    await choosePlan(vs);
    const other = `# by somebody else\n${original}`;
    writeFileSync(vs.path(FILE), other);
    await vs.page.waitForTimeout(1500);
    await vs.page.keyboard.press('Enter');
    await vs.notifications(/changed during the search|Couldn't save/);
    assert.equal(vs.read(FILE), other);
  });

  test('asks about unsaved changes, leaves them if told so, and undoes only its own', async vs => {
    await opened(vs);
    await typeUnsaved(vs);
    const decisions = await choosePlan(vs);
    assert.ok(decisions.some(label => label.includes('Save trl/qwen2.5-7b-sft.yaml and apply')));
    assert.ok(decisions.some(label => label.includes('Apply and leave trl/qwen2.5-7b-sft.yaml unsaved')));
    await vs.pick('Apply and leave');
    await vs.codeLenses(/· (fits|tight) ·/);
    assert.equal(vs.read(FILE), original);
    assert.equal(hasBackup(vs), false);
    await undo(vs);
    await vs.codeLenses(/does not fit/);
    await vs.line(/# unsaved/);
  });
});

const settings = { 'headroom.optimize.onChoose': 'apply' };

inVSCode('optimize in two actions @gate', { workspace: 'media/sample', settings }, test => {
  test('the lens opens the plans, a click applies one, and its notification undoes it', async vs => {
    await opened(vs);
    await vs.clickLens(/Optimize/);
    const [plan] = await vs.picks(PLAN);
    await vs.pick(plan!.slice(0, 30));
    await changed(vs);
    await vs.codeLenses(/GB of 24 GB · (fits|tight)/);
    assert.equal(vs.read(`${FILE}.backup`), original);
    await vs.notifications(/Applied/);
    await vs.notificationButton('Undo');
    await restored(vs);
  });

  test('Ctrl+. and Enter apply a plan at the marked key', async vs => {
    await opened(vs);
    await vs.fixes('per_device_train_batch_size', /^Make it fit …/);
    await vs.page.keyboard.press('Enter');
    await vs.picks(PLAN);
    await vs.page.keyboard.press('Enter');
    await changed(vs);
    await undo(vs);
    await restored(vs);
  });

  test('asks first if there are unsaved changes', async vs => {
    await opened(vs);
    await typeUnsaved(vs);
    await listed(vs);
    await vs.page.keyboard.press('Enter');
    const decisions = await vs.picks(/Apply and leave/);
    assert.ok(decisions.some(label => label.includes('Choose change by change')));
    await vs.escape();
    assert.equal(vs.read(FILE), original);
  });
});

inVSCode('a run that no plan makes fit', { workspace: 'media/sample' }, test => {
  test('names the GPU that fits the run', async vs => {
    writeFileSync(vs.path(FILE), original.replace('Qwen/Qwen2.5-7B', 'tiiuae/falcon-180B'));
    await opened(vs);
    await optimize(vs);
    const rows = await vs.picks(/No plan makes it fit/);
    assert.match(rows.join('\n'), /it fits (?:one|\d+ ×) [^:]+: [\d.]+ GB of/);
  });
});
