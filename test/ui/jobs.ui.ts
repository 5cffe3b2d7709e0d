// A job from the lens to its end: the screen before it, its progress, a reloaded window, stop, resume, and the
// config's marks after it ran out of memory. The trainer is a stand-in with a real one's output.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { VSCode } from '../host/driver';
import { BUSY_GPU } from './replay';
import {
  forgetJobs,
  JOB_STATE,
  JOBS,
  JOBS_ENV,
  noJobs,
  recordsIn,
  scratch,
  SMALL,
  startScreen,
  withTrainer,
} from './trainer';
import { inVSCode, SLOW_MS } from './window';

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

const forGpu = (gpu: string, texts: Readonly<Record<string, string>>) => (folder: string) => {
  forgetJobs();
  mkdirSync(join(folder, '.vscode'));
  writeFileSync(join(folder, '.vscode/settings.json'), JSON.stringify({ 'headroom.target.gpu': gpu }));
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
};

/** A config whose job trains until it is stopped, and one whose job runs out of memory. */
const workspace = forGpu('RTX 4090', {
  'tune.yaml': CONFIG,
  'short.yaml': CONFIG.replace('output_dir: out', 'output_dir: out-oom'),
});

/** Goes to the one screen before the start; returns its text. */
async function asked(vs: VSCode, file: string): Promise<string> {
  await vs.open(file);
  await vs.codeLenses(/Run …/);
  await vs.clickLens('Run …');
  await vs.picks(/^This machine/);
  await vs.pick('This machine');
  return startScreen(vs);
}

/** On a machine without a GPU, starting shows a warning. */
const START = /Start|Run Anyway/;

async function trains(vs: VSCode, file = 'tune.yaml'): Promise<void> {
  await asked(vs, file);
  await vs.dialog(START);
  await vs.terminalRow(/'loss': [\d.]+/);
}

const last = () => recordsIn(JOB_STATE).at(-1)!;
const outputOf = (id: string) => readFileSync(join(JOB_STATE, 'jobs', id, 'output.log'), 'utf8');

/** Ends jobs that a test left running before the next one looks at jobs. */
async function stopped(vs: VSCode): Promise<void> {
  if (!(await vs.hasStatus(JOBS))) return;
  await vs.command('Headroom: Stop Job');
  await noJobs(vs);
}

inVSCode('jobs @gate', { workspace, env: JOBS_ENV }, test => {
  test('shows what will run in one view, its output in a terminal, and its progress in the status bar', async vs => {
    const text = await asked(vs, 'tune.yaml');
    assert.match(
      text,
      /Start “train tune\.yaml”\?|“train tune\.yaml” needs a GPU, and this machine has none\./,
    );
    assert.match(text, /axolotl train tune\.yaml --launcher accelerate/);
    assert.match(text, /Needs: ≈ [\d.]+ GB per GPU/);
    const before = recordsIn(JOB_STATE).length;
    await vs.dialog(START);
    await vs.terminalRow(/train tune\.yaml · job/);
    await vs.terminalRow(/'loss': [\d.]+/);
    assert.match((await vs.status(JOBS, /tune\.yaml \d+ of 400/)).text, /left/);
    await vs.notifications(/train tune\.yaml: \d+ of 400 · loss/);
    assert.equal(recordsIn(JOB_STATE).length, before + 1);
    await stopped(vs);
  });

  test('is found again by a reloaded window, and stopped', async vs => {
    await trains(vs);
    const { id } = last();
    await vs.reload();
    await vs.open('tune.yaml');
    await vs.status(JOBS, /tune\.yaml \d+ of 400/);
    assert.equal(last().id, id);
    await vs.command('Headroom: Show Job Output');
    await vs.terminalRow(/'loss': [\d.]+/);
    assert.equal(await vs.page.locator('.quick-input-widget:visible').count(), 0, 'nothing is asked');
    await vs.command('Headroom: Stop Job');
    await vs.terminalRow(/KeyboardInterrupt/);
    await vs.terminalRow(/^stopped/);
    await noJobs(vs);
  });

  test('runs again when it is resumed, and is stopped from its notification', async vs => {
    await trains(vs);
    await stopped(vs);
    const { id } = last();
    await vs.command('Headroom: Resume Job');
    assert.match(await startScreen(vs), /axolotl train tune\.yaml/);
    await vs.dialog(START);
    await vs.status(JOBS, /tune\.yaml \d+ of 400/);
    assert.notEqual(last().id, id);
    await vs.notifications(/train tune\.yaml: \d+ of 400/);
    await vs.notificationButton('Cancel');
    await noJobs(vs);
    assert.equal(last().state, 'stopped');
    assert.match(outputOf(last().id), /KeyboardInterrupt/);
  });

  test('explains an out-of-memory failure on the key of the term that ran out, with a fix', async vs => {
    await asked(vs, 'short.yaml');
    await vs.dialog(START);
    await vs.terminalRow(/^failed/);
    const problems = await vs.problems(/ran out of memory/);
    assert.ok(
      problems.some(text => text.includes('in the loss (logits and loss): 2.0 GB requested')),
      problems.join('\n'),
    );
    await vs.open('short.yaml');
    const fixes = await vs.fixes('micro_batch_size', /micro_batch_size/);
    assert.ok(
      fixes.some(text => text.includes('Dismiss the error of the last job')),
      fixes.join('\n'),
    );
    await vs.applyFix(fixes.find(text => text.includes('micro_batch_size'))!);
    await vs.command('Problems: Focus on Problems View');
    const problem = vs.page.locator('.markers-panel-container', { hasText: 'ran out of memory' });
    await vs.until('the problem is gone', async () => (await problem.count()) === 0);
  });
});

/** Test folders replace the user's own: they keep a job's measurements. */
function ownPlaces(): Readonly<Record<string, string>> {
  const home = scratch('measured');
  const places = { XDG_STATE_HOME: join(home, 'state'), XDG_DATA_HOME: join(home, 'data') };
  const trainer = { FAKE_STEPS: '20', FAKE_STEP_MS: '50', FAKE_RESERVED_GIB: '13.5' };
  return { PATH: withTrainer(), ...trainer, ...places, HEADROOM_STATE: '' };
}

inVSCode('a job that was measured', { workspace, env: ownPlaces(), timeout: SLOW_MS }, test => {
  test('shows predicted and measured memory on its config and its card', async vs => {
    await asked(vs, 'tune.yaml');
    await vs.dialog(START);
    await vs.terminalRow(/^succeeded/);
    await vs.notifications(
      /train tune\.yaml: succeeded\. predicted [\d.]+ GB, measured 13\.5 GB \(torch reserved\)/,
    );
    const lines = vs.read('.headroom/measurements.jsonl').trim().split('\n');
    const kept = lines.map(line => JSON.parse(line) as { metric: string; source: string });
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
    assert.match(await vs.hover('micro_batch_size', /[Mm]easured/), /Computed: [\d.]+ GB/);
    await vs.shot('a-job-that-was-measured-hover', { keepMouse: true });
    await vs.unhover();
    await vs.command('Headroom: Show Jobs');
    const card = (await vs.webview('.job')).locator('.job').first();
    await vs.until('what was measured', async () =>
      (await card.locator('.of-measured').innerText()).includes('13.5 GB'),
    );
    assert.match(await card.locator('.of-predicted').innerText(), /[\d.]+ GB/);
    assert.match(
      (await card.locator('.of-measured').getAttribute('title'))!,
      /torch reserved, by the trainer/,
    );
  });
});

/** A recorded GPU with its recorded free memory, and a trainer that fits on it. */
const onGpu = {
  workspace: forGpu('RTX 4080 SUPER', { 'tune.yaml': SMALL }),
  env: {
    ...BUSY_GPU,
    ...{ HEADROOM_STATE: scratch('on-gpu'), FAKE_STEPS: '2000', FAKE_STEP_MS: '100' },
    PATH: withTrainer(BUSY_GPU.PATH),
  },
};

inVSCode('a job on a GPU', onGpu, test => {
  test("shows its GPU's readings and its output on its card, and stops", async vs => {
    await trains(vs);
    await vs.command('Headroom: Show Jobs');
    const page = await vs.webview('.job');
    const memory = page.locator('.job .gpus-memory');
    await memory.waitFor();
    await vs.until('its value', async () => /^1\.4 GB$/.test(await memory.locator('.value').innerText()));
    assert.match(await page.locator('.job .gpus-load .value').innerText(), /^7 %$/);
    await vs.command('Headroom: Stop Job');
    await noJobs(vs);
  });
});
