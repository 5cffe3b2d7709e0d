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

/** The last job's processes, however fast the machine is: they stand still until they are let go on. */
function signalJob(signal) {
  const jobs = join(state, 'jobs');
  const last = readdirSync(jobs)
    .filter(name => /^\d/.test(name))
    .sort()
    .at(-1);
  const { group } = JSON.parse(readFileSync(join(jobs, last, 'process.json'), 'utf8'));
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

inVSCode('embedding', textsAndModel, test => {
  test('one screen says by which command, and what is written', async vs => {
    await start(vs, 'embed.yaml');
    const box = vs.page.locator('.monaco-dialog-box');
    await box.waitFor();
    const text = await box.innerText();
    assert.match(text, /Start “embed embed\.yaml”\?/);
    assert.match(text, /cli\.js embed embed\.yaml --progress line --verify/);
    assert.match(text, /Where: this machine, without a GPU/);
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
    await vs.terminalRow(/20,000 texts, [\d,]+ of them there already/);
    await vs.until('its end', async () => (await vs.terminal()).some(row => /^succeeded/.test(row)));
    await vs.terminalRow(
      /vectors: \(20000, 32\) in 1 file · lengths 1\.0000 to 1\.0000 · ids unique · whole/,
    );
    assert.equal(manifest(vs).state, 'complete');
  });

  test('what its config leaves open is asked for', async vs => {
    await start(vs, 'open.yaml');
    await vs.answer('few.jsonl');
    await vs.answer('few-vectors');
    await vs.page.locator('.monaco-dialog-box').waitFor();
    const text = await vs.dialog('Start');
    assert.match(text, /--input few\.jsonl --out few-vectors/);
    await vs.terminalRow(/few-vectors: \(40, 32\) in 1 file .* whole/);
    assert.ok(existsSync(vs.path('few-vectors/manifest.json')));
  });
});
