// An embedding from its config: the lens, the screen, progress, a reloaded window, stop, resume from the
// checkpoint, verified vectors. Headroom's own engine runs it, with a model of a few kilobytes.
import { tinyTexts, writeTinyModel } from '../unit/embed/tinyModel';
import type { VSCode } from '../host/driver';
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { forgetJobs, JOB_STATE, JOBS, JOBS_ENV, noJobs, recordsIn, startScreen } from './trainer';
import { inVSCode } from './window';
import { signalTo } from '../signals';

/** One text per batch: it takes some seconds. */
const ROWS = 20_000;
const CONFIG = `embeddings:
  model_path: ./model
  device: cpu
  batch_size: 1
  normalize_embeddings: true
data:
  path: texts.jsonl
output:
  path: vectors
`;

/** A file of a job; −1 is the last job. */
const fileOf = (at: number, name: string): string =>
  readFileSync(join(JOB_STATE, 'jobs', recordsIn(JOB_STATE).at(at)!.id, name), 'utf8');

const outputOf = (at: number) => fileOf(at, 'output.log');
const number = (text: string | undefined) => Number(text?.replaceAll(',', ''));

/** Signals the last job's processes: tests pause and resume them, so that the machine's speed does not matter. */
function signalJob(signal: NodeJS.Signals): void {
  const { group } = JSON.parse(fileOf(-1, 'process.json')) as { readonly group: number };
  signalTo(-group, signal);
}

const lines = (count: number, name: string): string =>
  tinyTexts(count)
    .map((text, at) => `${JSON.stringify({ id: `${name}${at}`, text })}\n`)
    .join('');

function textsAndModel(folder: string): void {
  forgetJobs();
  mkdirSync(join(folder, '.vscode'));
  writeFileSync(join(folder, '.vscode/settings.json'), '{ "headroom.target.gpu": "RTX 4090" }');
  writeFileSync(join(folder, 'embed.yaml'), CONFIG);
  writeFileSync(join(folder, 'open.yaml'), CONFIG.replace(/^data:[^]*/m, ''));
  writeFileSync(join(folder, 'texts.jsonl'), lines(ROWS, 't'));
  writeFileSync(join(folder, 'few.jsonl'), lines(40, 'f'));
  writeTinyModel(join(folder, 'model'));
}

/** Goes to the one screen before the start. */
async function asked(vs: VSCode, file: string): Promise<void> {
  await vs.open(file);
  await vs.codeLenses(/Embed …/);
  await vs.clickLens('Embed …');
  await vs.picks(/^This machine/);
  await vs.pick('This machine');
}

const manifest = (vs: VSCode) =>
  JSON.parse(readFileSync(vs.path('vectors/manifest.json'), 'utf8')) as { readonly state: string };

/** Waits until it has started, and pauses it. */
async function standsStill(vs: VSCode): Promise<void> {
  await asked(vs, 'embed.yaml');
  await startScreen(vs);
  await vs.dialog('Start');
  await vs.terminalRow(/20,000 texts, with model \(mean, normalized/);
  await vs.status(JOBS, /embed\.yaml [\d,]+ of 20,000 · .* left/);
  signalJob('SIGSTOP');
}

async function isStopped(vs: VSCode): Promise<void> {
  await vs.command('Headroom: Stop Job');
  await vs.status(JOBS, /stops/);
  signalJob('SIGCONT');
  await noJobs(vs);
}

inVSCode('embedding', { workspace: textsAndModel, env: JOBS_ENV }, test => {
  test('shows the command and what is written in one view, and asks for what the config leaves open', async vs => {
    await asked(vs, 'embed.yaml');
    const text = await startScreen(vs);
    assert.match(text, /Start “embed embed\.yaml”\?/);
    assert.match(text, /cli\.js embed embed\.yaml --progress line --verify/);
    assert.match(text, /Where: this machine \(no GPU\)/);
    assert.doesNotMatch(text, /Needs:/);
    assert.match(text, /Writes: .*vectors/);
    await vs.dialog('Cancel');
    await asked(vs, 'open.yaml');
    const question = (word: string) =>
      vs.page.locator(`.quick-input-widget input[placeholder="${word}"]`).waitFor();
    await question('texts');
    await vs.answer('few.jsonl');
    await question('vectors');
    await vs.answer('few-vectors');
    await startScreen(vs);
    assert.match(await vs.dialog('Start'), /--input few\.jsonl --out few-vectors/);
    await vs.terminalRow(/few-vectors: \(40, 32\) in 1 file .* whole/);
    assert.ok(existsSync(vs.path('few-vectors/manifest.json')));
  });
});

inVSCode('a long embedding', { workspace: textsAndModel, env: JOBS_ENV }, test => {
  test('shows its progress in the panel, is found again after a reload, and stops', async vs => {
    await standsStill(vs);
    await vs.command('Headroom: Show Jobs');
    const page = await vs.webview('.job');
    const card = page.locator('.job').first();
    await vs.until('words', async () =>
      /[\d,]+ of 20,000 texts · [\d,.]+ tokens\/s · .* left/.test(
        await card.locator('.job-words').innerText(),
      ),
    );
    await vs.until('a curve', () => card.locator('.metric-tokensPerSecond').isVisible());
    assert.equal(await card.locator('.job-memory').isVisible(), false);
    await vs.reload();
    await vs.open('embed.yaml');
    await vs.status(JOBS, /embed\.yaml [\d,]+ of 20,000/);
    await isStopped(vs);
    assert.equal(manifest(vs).state, 'running');
  });

  test('resumes where it was stopped, and verifies its vectors', async vs => {
    await standsStill(vs);
    await isStopped(vs);
    await vs.command('Headroom: Resume Job');
    await startScreen(vs);
    assert.match(await vs.dialog('Start'), /embed embed\.yaml .*--resume/);
    await vs.until('all of them', () => outputOf(-1).includes('20,000 of 20,000 texts'));
    await vs.terminalRow(/^succeeded/);
    assert.match(
      outputOf(-1),
      /vectors: \(20000, 32\) in 1 file · lengths 1\.0000 to 1\.0000 · ids unique · whole/,
    );
    assert.equal(manifest(vs).state, 'complete');
    const before = number(/stopped after ([\d,]+) texts;/.exec(outputOf(-2))?.[1]);
    const first = number(/([\d,]+) of 20,000 texts/.exec(outputOf(-1))?.[1]);
    assert.ok(before > 0);
    assert.ok(first >= before, `${first} after ${before}`);
  });
});
