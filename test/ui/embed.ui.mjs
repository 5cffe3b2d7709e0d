// An embedding from its config: the lens, the screen, progress, a window that is loaded anew, stop, resume from the checkpoint,
// verified vectors. Headroom's own engine does it, with a model of a few kilobytes.
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadTinyModel } from './tinyModel.mjs';
import { inVSCode } from './window.mjs';

/** One text a batch: it takes some seconds. */
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
const JOBS = 'gpu-headroom.gpu-headroom.headroom.jobs';

const state = mkdtempSync(join(tmpdir(), 'headroom-ui-embed-'));

/** A file of a job, the last one with −1. */
function fileOf(at, name) {
  const jobs = join(state, 'jobs');
  const ids = readdirSync(jobs).filter(id => /^\d/.test(id));
  return readFileSync(join(jobs, ids.sort().at(at), name), 'utf8');
}

const outputOf = at => fileOf(at, 'output.log');
const number = text => Number(text.replaceAll(',', ''));

/** The last job's processes, however fast the machine is: they stand still until they are let go on. */
function signalJob(signal) {
  const { group } = JSON.parse(fileOf(-1, 'process.json'));
  process.kill(-group, signal);
}

async function textsAndModel() {
  const { tinyTexts, writeTinyModel } = await loadTinyModel();
  const lines = (count, name) =>
    tinyTexts(count).map((text, at) => JSON.stringify({ id: `${name}${at}`, text }));
  return {
    workspace: folder => {
      mkdirSync(join(folder, '.vscode'));
      writeFileSync(join(folder, '.vscode/settings.json'), '{ "headroom.target.gpu": "RTX 4090" }');
      writeFileSync(join(folder, 'embed.yaml'), CONFIG);
      writeFileSync(join(folder, 'open.yaml'), CONFIG.replace(/^data:[^]*/m, ''));
      writeFileSync(join(folder, 'texts.jsonl'), `${lines(ROWS, 't').join('\n')}\n`);
      writeFileSync(join(folder, 'few.jsonl'), `${lines(40, 'f').join('\n')}\n`);
      writeTinyModel(join(folder, 'model'));
    },
    env: { HEADROOM_STATE: state },
    end: () => rmSync(state, { recursive: true, force: true }),
  };
}

async function start(vs, file) {
  await vs.open(file);
  await vs.codeLenses(/Embed …/);
  await vs.clickLens('Embed …');
  await vs.picks(/^This machine/);
  await vs.pick('This machine');
}

const manifest = vs => JSON.parse(readFileSync(vs.path('vectors/manifest.json'), 'utf8'));

inVSCode('embedding @gate', textsAndModel, test => {
  test('one screen says by which command, and what is written', async vs => {
    await start(vs, 'embed.yaml');
    const box = vs.page.locator('.monaco-dialog-box');
    await box.waitFor();
    const text = await box.innerText();
    assert.match(text, /Start “embed embed\.yaml”\?/);
    assert.match(text, /cli\.js embed embed\.yaml --progress line --verify/);
    assert.match(text, /Where: this machine \(no GPU found\)/);
    assert.doesNotMatch(text, /Needs:/);
    assert.match(text, /Writes: .*vectors/);
  });

  test('the status bar says how far it is, and what is left', async vs => {
    await vs.dialog('Start');
    await vs.terminalRow(/20,000 texts, with model \(mean, normalised/);
    await vs.status(JOBS, /embed\.yaml [\d,]+ of 20,000 · .* left/);
    signalJob('SIGSTOP');
  });

  test('so does the panel, with the rate over its texts', async vs => {
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
  });

  test('a window that is loaded anew finds it again', async vs => {
    await vs.reload();
    await vs.open('embed.yaml');
    await vs.status(JOBS, /embed\.yaml [\d,]+ of 20,000/);
  });

  test('it stops after the batches that are under way', async vs => {
    await vs.command('Headroom: Stop Job');
    await vs.status(JOBS, /stops/);
    signalJob('SIGCONT');
    await vs.until('no job in the status bar', async () => !(await vs.hasStatus(JOBS)));
    assert.equal(manifest(vs).state, 'running');
  });

  test('and goes on where it was, to vectors that are verified', async vs => {
    await vs.command('Headroom: Resume Job');
    await vs.page.locator('.monaco-dialog-box').waitFor();
    const text = await vs.dialog('Start');
    assert.match(text, /embed embed\.yaml .*--resume/);
    await vs.until('more texts', () => /of 20,000 texts/.test(outputOf(-1)));
    await vs.until('list all jobs', () => /20,000 of 20,000 texts/.test(outputOf(-1)));
    await vs.terminalRow(/^succeeded/);
    assert.match(
      outputOf(-1),
      /vectors: \(20000, 32\) in 1 file · lengths 1\.0000 to 1\.0000 · ids unique · whole/,
    );
    assert.equal(manifest(vs).state, 'complete');
    const [, stopped] = /stopped after ([\d,]+) texts;/.exec(outputOf(-2)) ?? [];
    const [, first] = /([\d,]+) of 20,000 texts/.exec(outputOf(-1)) ?? [];
    assert.ok(number(stopped) > 0);
    assert.ok(number(first) >= number(stopped), `${first} after ${stopped}`);
  });

  test('what its config leaves open is asked for', async vs => {
    await start(vs, 'open.yaml');
    const question = word => vs.page.locator(`.quick-input-widget input[placeholder="${word}"]`).waitFor();
    await question('texts');
    await vs.answer('few.jsonl');
    await question('vectors');
    await vs.answer('few-vectors');
    await vs.page.locator('.monaco-dialog-box').waitFor();
    const text = await vs.dialog('Start');
    assert.match(text, /--input few\.jsonl --out few-vectors/);
    await vs.terminalRow(/few-vectors: \(40, 32\) in 1 file .* whole/);
    assert.ok(existsSync(vs.path('few-vectors/manifest.json')));
  });
});
