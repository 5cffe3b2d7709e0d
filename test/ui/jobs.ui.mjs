// A job from the lens to its end: the screen before it, its progress, a window that is loaded anew, stop, resume, and what
// memory that ran out leaves on the config. The trainer is a stand-in that prints what a real one prints.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { root } from '../../scripts/lib/root.mjs';
import { replaying } from './replay.mjs';
import { inVSCode } from './window.mjs';

const CONFIG = `base_model: NousResearch/Meta-Llama-3-8B
datasets: [{path: tatsu-lab/alpaca, type: alpaca}]
adapter: qlora
load_in_4bit: true
lora_r: 16
lora_alpha: 32
lora_target_linear: true
sequence_len: 2048
micro_batch_size: 2
gradient_accumulation_steps: 4
gradient_checkpointing: true
bf16: true
output_dir: out
`;

function configs(folder) {
  mkdirSync(join(folder, '.vscode'));
  writeFileSync(join(folder, '.vscode/settings.json'), '{ "headroom.target.gpu": "RTX 4090" }');
  writeFileSync(join(folder, 'tune.yaml'), CONFIG);
  writeFileSync(join(folder, 'short.yaml'), CONFIG.replace('output_dir: out', 'output_dir: out-oom'));
}

/** Records of their own, and a trainer on the PATH. */
function environment(more = {}) {
  const state = mkdtempSync(join(tmpdir(), 'headroom-ui-jobs-'));
  process.once('exit', () => rmSync(state, { recursive: true, force: true }));
  const PATH = `${join(root, 'test/fixtures/jobs')}${delimiter}${process.env.PATH}`;
  return { HEADROOM_STATE: state, PATH, ...more };
}

const JOBS = 'gpu-headroom.gpu-headroom.headroom.jobs';

const start = async (vs, file) => {
  await vs.open(file);
  await vs.codeLenses(/Run …/);
  await vs.clickLens('Run …');
  await vs.picks(/^This machine/);
  await vs.pick('This machine');
};

const env = environment({ FAKE_STEPS: '400', FAKE_STEP_MS: '250' });
const jobsOnDisk = () => readdirSync(join(env.HEADROOM_STATE, 'jobs')).filter(name => /^\d/.test(name));

inVSCode('jobs @gate', { workspace: configs, env }, test => {
  test('one screen says what will be run', async vs => {
    await start(vs, 'tune.yaml');
    const box = vs.page.locator('.monaco-dialog-box');
    await box.waitFor();
    const text = await box.innerText();
    assert.match(text, /Start “train tune\.yaml”\?/);
    assert.match(text, /axolotl train tune\.yaml --launcher accelerate/);
    assert.match(text, /Needs: ≈ [\d.]+ GB per GPU/);
  });

  test('its output is followed in a terminal', async vs => {
    await vs.dialog('Start');
    await vs.terminalRow(/train tune\.yaml · job/);
    await vs.terminalRow(/'loss': [\d.]+/);
    assert.equal(jobsOnDisk().length, 1);
  });

  test('the status bar says how far it is', async vs => {
    const { text } = await vs.status(JOBS, /tune\.yaml \d+ of 400/);
    assert.match(text, /left/);
  });

  test('a notification does, too', async vs => {
    await vs.notifications(/train tune\.yaml: \d+ of 400 · loss/);
    await vs.escape().catch(() => undefined);
  });

  test('a window that is loaded anew finds it again', async vs => {
    await vs.reload();
    await vs.open('tune.yaml');
    await vs.status(JOBS, /tune\.yaml \d+ of 400/);
    assert.equal(jobsOnDisk().length, 1);
    await vs.command('Headroom: Show Job Output');
    await vs.terminalRow(/'loss': [\d.]+/);
    assert.equal(await vs.page.locator('.quick-input-widget:visible').count(), 0, 'nothing is asked');
  });

  test('it stops when it is told to', async vs => {
    await vs.command('Headroom: Stop Job');
    await vs.terminalRow(/KeyboardInterrupt/);
    await vs.terminalRow(/^stopped/);
    await vs.until('no job in the status bar', async () => !(await vs.hasStatus(JOBS)));
  });

  test('and runs once more when it is resumed', async vs => {
    await vs.command('Headroom: Resume Job');
    await vs.page.locator('.monaco-dialog-box').waitFor();
    const text = await vs.dialog('Start');
    assert.match(text, /axolotl train tune\.yaml/);
    await vs.status(JOBS, /tune\.yaml \d+ of 400/);
    assert.equal(jobsOnDisk().length, 2);
  });

  test('its notification stops it, when it is cancelled there', async vs => {
    await vs.notifications(/train tune\.yaml: \d+ of 400/);
    await vs.notificationButton('Cancel');
    await vs.until('no job in the status bar', async () => !(await vs.hasStatus(JOBS)));
    const last = join(env.HEADROOM_STATE, 'jobs', jobsOnDisk().sort().at(-1));
    assert.equal(JSON.parse(readFileSync(join(last, 'job.json'), 'utf8')).state, 'stopped');
    assert.match(readFileSync(join(last, 'output.log'), 'utf8'), /KeyboardInterrupt/);
    await vs.escape().catch(() => undefined);
  });
});

/** The user's own places are the test's: what a job has measured is kept there. */
function ownPlaces() {
  const home = mkdtempSync(join(tmpdir(), 'headroom-ui-measured-'));
  process.once('exit', () => rmSync(home, { recursive: true, force: true }));
  const places = { XDG_STATE_HOME: join(home, 'state'), XDG_DATA_HOME: join(home, 'data') };
  return {
    ...environment({ FAKE_STEPS: '20', FAKE_STEP_MS: '50', FAKE_RESERVED_GIB: '13.5' }),
    ...places,
    HEADROOM_STATE: '',
  };
}

const places = ownPlaces();

inVSCode('a job that was measured', { workspace: configs, env: places }, test => {
  test('says what was predicted and what it took', async vs => {
    await start(vs, 'tune.yaml');
    await vs.page.locator('.monaco-dialog-box').waitFor();
    await vs.dialog('Start');
    await vs.terminalRow(/^succeeded/);
    await vs.notifications(
      /train tune\.yaml: succeeded\. predicted [\d.]+ GB, measured 13\.5 GB \(torch reserved\)/,
    );
    await vs.escape().catch(() => undefined);
  });

  test('is a measurement from then on: its config shows it instead of what was computed', async vs => {
    const lines = readFileSync(vs.path('.headroom/measurements.jsonl'), 'utf8').trim().split('\n');
    const kept = lines.map(line => JSON.parse(line));
    assert.deepEqual(
      kept.map(({ metric, source }) => [metric, source]),
      [
        ['reserved', 'trainer'],
        ['allocated', 'trainer'],
      ],
    );
    await vs.open('tune.yaml');
    const lenses = await vs.codeLenses(/measured/);
    assert.ok(
      lenses.some(text => /≈ [\d.]+ GB of 24 GB · fits.*measured/.test(text)),
      lenses.join('\n'),
    );
  });

  test(
    'the hover has both',
    async vs => {
      const text = await vs.hover('micro_batch_size', /[Mm]easured/);
      assert.match(text, /Computed: [\d.]+ GB/);
    },
    { keepMouse: true },
  );

  test('so has its card in the panel', async vs => {
    await vs.unhover();
    await vs.command('Headroom: Show Jobs');
    const page = await vs.webview('.job');
    const card = page.locator('.job').first();
    await vs.until('what was measured', async () =>
      /13\.5 GB/.test(await card.locator('.of-measured').innerText()),
    );
    assert.match(await card.locator('.of-predicted').innerText(), /[\d.]+ GB/);
    assert.match(await card.locator('.of-measured').getAttribute('title'), /torch reserved, by the trainer/);
  });
});

inVSCode(
  'a job without memory @gate',
  { workspace: configs, env: environment({ FAKE_STEP_MS: '100' }) },
  test => {
    test('is explained on the key behind the term that broke', async vs => {
      await start(vs, 'short.yaml');
      await vs.page.locator('.monaco-dialog-box').waitFor();
      await vs.dialog('Start');
      await vs.terminalRow(/^failed/);
      const problems = await vs.problems(/ran out of memory/);
      assert.ok(
        problems.some(text => /in the loss \(logits and loss\): 2\.0 GB were asked for/.test(text)),
        problems.join('\n'),
      );
    });

    test('with a fix that gets it below what it has shown to need', async vs => {
      await vs.open('short.yaml');
      const fixes = await vs.fixes('micro_batch_size', /micro_batch_size/);
      assert.ok(
        fixes.some(text => /Dismiss the error of the last job/.test(text)),
        fixes.join('\n'),
      );
      await vs.applyFix(fixes.find(text => /micro_batch_size/.test(text)));
      await vs.until(
        'the problem is gone',
        async () => !(await vs.problems(/./).catch(() => [])).some(text => /ran out of memory/.test(text)),
      );
    });
  },
);

/** A recorded GPU, as free as it was, and a trainer that fits on it. */
function onGpu() {
  const answers = [
    { when: '--query-gpu', file: 'nv-csv-4080s-595-load.csv' },
    { when: '--query-compute-apps', file: 'nv-apps-4080s-595-load.csv' },
  ];
  const own = environment({ FAKE_STEPS: '2000', FAKE_STEP_MS: '100' });
  const replayed = replaying('a-job-on-a-gpu', answers);
  return { ...own, ...replayed, PATH: `${join(root, 'test/fixtures/jobs')}${delimiter}${replayed.PATH}` };
}

function small(folder) {
  mkdirSync(join(folder, '.vscode'));
  writeFileSync(join(folder, '.vscode/settings.json'), '{ "headroom.target.gpu": "RTX 4080 SUPER" }');
  const config = CONFIG.replace('Meta-Llama-3-8B', 'Llama-3.2-1B').replace('len: 2048', 'len: 1024');
  writeFileSync(join(folder, 'tune.yaml'), config.replace('micro_batch_size: 2', 'micro_batch_size: 1'));
}

inVSCode('a job on a GPU', { workspace: small, env: onGpu() }, test => {
  test('has what its GPU showed on its card, beside what its output says', async vs => {
    await start(vs, 'tune.yaml');
    await vs.page.locator('.monaco-dialog-box').waitFor();
    await vs.dialog(/Start|Run Anyway/);
    await vs.terminalRow(/'loss': [\d.]+/);
    await vs.command('Headroom: Show Jobs');
    const page = await vs.webview('.job');
    const memory = page.locator('.job .gpus-memory');
    await memory.waitFor();
    await vs.until('its value', async () => /^1\.4 GB$/.test(await memory.locator('.value').innerText()));
    assert.match(await page.locator('.job .gpus-load .value').innerText(), /^7 %$/);
  });

  test('and stops', async vs => {
    await vs.command('Headroom: Stop Job');
    await vs.until('no job in the status bar', async () => !(await vs.hasStatus(JOBS)));
  });
});
