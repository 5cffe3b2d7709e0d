import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as vscode from 'vscode';
import type { JobRecord } from '../../../src/jobs/job';
import { tinyTexts, writeTinyModel } from '../../unit/embed/tinyModel';
import { fileOf, lensesOf, openFile, until, writeFile } from './ask';

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
const EMBEDDING = `embeddings:
  model_path: ./model
  batch_size: 32
  device: cpu
data: {path: texts.jsonl}
output: {path: vectors}
`;
/** A model small enough for the stand-in for Python, which makes up the results of the dry run. */
const PROFILED = `model_name_or_path: meta-llama/Llama-3.1-8B-Instruct
stage: sft
do_train: true
finetuning_type: lora
lora_rank: 8
lora_target: all
dataset: identity
template: llama3
cutoff_len: 2048
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
bf16: true
`;

const TASKS = [
  { type: 'headroom', label: 'tune', kind: 'train', config: 'tasks/tune.yml', args: ['--debug'] },
  { type: 'headroom', label: 'vectors', kind: 'embed', config: 'tasks/embed.yml' },
  {
    type: 'headroom',
    label: 'dry run',
    kind: 'profile',
    config: 'tasks/profile.yml',
    args: ['--python', resolve(__dirname, '../../../../test/fixtures/profile/fake_python.sh')],
  },
  { type: 'headroom', label: 'nowhere', kind: 'train', config: 'tasks/none.yml' },
];

const state = (): string => process.env['HEADROOM_STATE'] ?? '';

function jobs(): readonly JobRecord[] {
  const folder = join(state(), 'jobs');
  if (!existsSync(folder)) return [];
  const ids = readdirSync(folder).filter(name => /^\d/.test(name));
  return ids.sort().map(id => JSON.parse(readFileSync(join(folder, id, 'job.json'), 'utf8')) as JobRecord);
}

const outputOf = ({ id }: JobRecord): string => readFileSync(join(state(), 'jobs', id, 'output.log'), 'utf8');

const found = (label: string): Promise<vscode.Task> =>
  until(`task ${label}`, async () => {
    const all = await vscode.tasks.fetchTasks({ type: 'headroom' });
    return all.find(({ name }) => name === label);
  });

/** Starts a workspace task; returns the job that it started and how its task ends. */
async function started(task: vscode.Task) {
  const before = jobs().length;
  const ends: vscode.TaskProcessEndEvent[] = [];
  const listener = vscode.tasks.onDidEndTaskProcess(event => ends.push(event));
  const execution = await vscode.tasks.executeTask(task);
  const ended = async (): Promise<number | undefined> => {
    const end = await until('end of the task', () =>
      Promise.resolve(ends.find(event => event.execution === execution)),
    );
    listener.dispose();
    return end.exitCode;
  };
  const job = await until('job', () => Promise.resolve(jobs()[before]));
  return { execution, ended, id: job.id };
}

const record = (id: string): JobRecord => {
  const job = jobs().find(one => one.id === id);
  assert.ok(job);
  return job;
};

const reaches = (id: string, ...states: readonly string[]): Promise<JobRecord> =>
  until(`job ${states.join(' or ')}`, () => {
    const now = record(id);
    return Promise.resolve(states.includes(now.state) && now);
  });

/** Waits until it trains, i.e. until its interrupt handler is set up. */
async function trains(id: string): Promise<void> {
  await reaches(id, 'running');
  await until('a step', () => Promise.resolve(outputOf(record(id)).includes('it/s]')));
}

const terminalOf = (id: string): Promise<vscode.Terminal> =>
  until('terminal', () =>
    Promise.resolve(vscode.window.terminals.find(({ name }) => name.includes(id.slice(-6)))),
  );

describe('tasks of type headroom', function () {
  this.timeout(60_000);

  const settings = () => vscode.workspace.getConfiguration('headroom');

  before(async function () {
    if (process.platform === 'win32') this.skip();
    await settings().update('run.confirm', 'whenItDoesNotFit', vscode.ConfigurationTarget.Global);
    await writeFile('.vscode/tasks.json', JSON.stringify({ version: '2.0.0', tasks: TASKS }));
    await writeFile('tasks/profile.yml', PROFILED);
    const texts = tinyTexts(50).map((text, at) => JSON.stringify({ id: `t${at}`, text }));
    await writeFile('tasks/texts.jsonl', `${texts.join('\n')}\n`);
    writeTinyModel(fileOf('tasks/model').fsPath);
    const tune = await openFile('tasks/tune.yml', CONFIG);
    await lensesOf(tune.uri, /Run …/);
    await writeFile('tasks/embed.yml', EMBEDDING);
    const other = await openFile('tasks/other.yml', EMBEDDING);
    await lensesOf(other.uri, /Embed …/);
  });

  after(async () => {
    await settings().update('run.confirm', undefined, vscode.ConfigurationTarget.Global);
    await vscode.workspace.fs.delete(fileOf('tasks'), { recursive: true });
    await vscode.workspace.fs.delete(fileOf('.vscode/tasks.json'));
  });

  it('are found for the open configs', async () => {
    const train = await found('train tune.yml');
    assert.deepEqual(train.definition, { type: 'headroom', kind: 'train', config: 'tasks/tune.yml' });
    assert.equal(train.source, 'Headroom');
    const embed = await found('embed other.yml');
    assert.deepEqual(embed.definition, { type: 'headroom', kind: 'embed', config: 'tasks/other.yml' });
  });

  it("train as tasks.json says, with the framework's command and its extra arguments", async () => {
    process.env['FAKE_STEPS'] = '3';
    process.env['FAKE_STEP_MS'] = '10';
    const { ended, id } = await started(await found('tune'));
    assert.equal(await ended(), 0);
    const job = record(id);
    assert.deepEqual(job.argv, [
      ...['axolotl', 'train', 'tasks/tune.yml', '--launcher', 'accelerate', '--debug'],
      ...['--', '--num_processes=1'],
    ]);
    assert.deepEqual([job.kind, job.state, job.measured], ['train', 'succeeded', undefined]);
    assert.match(outputOf(job), /train_runtime/);
  });

  it("embed with Headroom's own engine", async () => {
    const { ended, id } = await started(await found('vectors'));
    assert.equal(await ended(), 0);
    const job = record(id);
    assert.deepEqual([job.kind, job.gpus.count, job.estimate], ['embed', 0, null]);
    assert.match(outputOf(job), /vectors: \(50, 32\) in 1 file .* whole/);
  });

  it('profile without a GPU', async () => {
    const { ended, id } = await started(await found('dry run'));
    const code = await ended();
    const job = record(id);
    assert.equal(code, 0, outputOf(job));
    assert.deepEqual([job.kind, job.gpus.count], ['profile', 0]);
    assert.deepEqual(job.argv.slice(2, 5), ['profile', 'tasks/profile.yml', '--python']);
  });

  it('say what they cannot start, and start nothing', async () => {
    const before = jobs().length;
    const task = await found('nowhere');
    const code = new Promise<number | undefined>(done => {
      const listener = vscode.tasks.onDidEndTaskProcess(({ execution, exitCode }) => {
        if (execution.task.name !== task.name) return;
        listener.dispose();
        done(exitCode);
      });
    });
    await vscode.tasks.executeTask(task);
    assert.equal(await code, 1);
    assert.equal(jobs().length, before);
  });

  it('continue when their terminal is closed, whatever was typed into it', async () => {
    process.env['FAKE_STEPS'] = '5000';
    process.env['FAKE_STEP_MS'] = '50';
    const { id } = await started(await found('tune'));
    await trains(id);
    const terminal = await terminalOf(id);
    terminal.sendText('hello');
    terminal.show();
    await until('terminal in front', () => Promise.resolve(vscode.window.activeTerminal === terminal));
    await vscode.commands.executeCommand('workbench.action.terminal.kill');
    await until('closed terminal', () => Promise.resolve(!vscode.window.terminals.includes(terminal)));
    const seen = outputOf(record(id)).length;
    await until('more output', () => Promise.resolve(outputOf(record(id)).length > seen));
    assert.equal(record(id).state, 'running');
    await vscode.commands.executeCommand('headroom.showJobOutput', id);
    await terminalOf(id);
    await vscode.commands.executeCommand('headroom.stopJob', id);
    const { exit } = await reaches(id, 'stopped');
    assert.equal(exit?.code, 130);
  });

  it('stop on Ctrl+C in their terminal', async () => {
    const { id, ended } = await started(await found('tune'));
    await trains(id);
    const terminal = await terminalOf(id);
    terminal.sendText('\u0003', false);
    await reaches(id, 'stopped');
    assert.equal(await ended(), 130);
    assert.match(outputOf(record(id)), /KeyboardInterrupt/);
  });

  it('stop when their task is terminated', async () => {
    const { id, execution } = await started(await found('tune'));
    await trains(id);
    await terminalOf(id);
    execution.terminate();
    await reaches(id, 'stopped');
  });
});
