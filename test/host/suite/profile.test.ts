import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import * as vscode from 'vscode';
import { fileOf, lensesOf, openFile, until } from './ask';

const KEYS = [
  'model_name_or_path: meta-llama/Llama-3.1-8B-Instruct',
  'stage: sft',
  'do_train: true',
  'finetuning_type: lora',
  'lora_rank: 8',
  'lora_target: all',
  'dataset: identity',
  'template: llama3',
  'cutoff_len: 2048',
  'per_device_train_batch_size: 1',
  'gradient_accumulation_steps: 8',
  'bf16: true',
];

const fakePython = resolve(__dirname, '../../../../test/fixtures/profile/fake_python.sh');

const settings = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration('headroom');

describe('profiling a config', () => {
  before(async function () {
    if (process.platform === 'win32') this.skip();
    await settings().update('python', fakePython, vscode.ConfigurationTarget.Global);
  });
  after(async () => {
    await settings().update('python', undefined, vscode.ConfigurationTarget.Global);
    await vscode.workspace.fs.delete(fileOf('.headroom/measurements.jsonl')).then(undefined, () => undefined);
  });

  it('runs its code in the Python of the setting, and the lens then cites a dry run', async () => {
    const document = await openFile('profiled/lora.yaml', `${KEYS.join('\n')}\n`);
    await lensesOf(document.uri, /GB of 24 GB/);
    await vscode.commands.executeCommand('headroom.profileConfig', document.uri.toString(), '');
    const [lens = ''] = await lensesOf(document.uri, /dry run/);
    assert.match(lens, /≈ \d+\.\d GB of 24 GB · .* · dry run$/);
    const kept = await vscode.workspace.fs.readFile(fileOf('.headroom/measurements.jsonl'));
    const line = JSON.parse(new TextDecoder().decode(kept).trim()) as Readonly<Record<string, unknown>>;
    assert.equal(line['source'], 'dry run');
    assert.equal(line['config'], 'profiled/lora.yaml');
  });

  it("runs it in the Python extension's selected Python if the setting names none", async () => {
    const extension = vscode.extensions.getExtension<{ select(path: string | null): void }>(
      'ms-python.python',
    );
    const python = await extension?.activate();
    assert.ok(python, 'the stand-in for the Python extension is not there');
    await settings().update('python', undefined, vscode.ConfigurationTarget.Global);
    await vscode.workspace.fs.delete(fileOf('.headroom/measurements.jsonl'));
    python.select(fakePython);
    try {
      await vscode.commands.executeCommand(
        'headroom.profileConfig',
        fileOf('profiled/lora.yaml').toString(),
        '',
      );
      const kept = await vscode.workspace.fs.readFile(fileOf('.headroom/measurements.jsonl'));
      assert.match(new TextDecoder().decode(kept), /"torch":"2\.15\.0"/, 'the stand-in is what ran');
    } finally {
      python.select(null);
      await settings().update('python', fakePython, vscode.ConfigurationTarget.Global);
    }
  });

  it('returns to the computed answer after the measurement is deleted', async () => {
    const uri = fileOf('profiled/lora.yaml');
    await vscode.workspace.fs.delete(fileOf('.headroom/measurements.jsonl'));
    await until('computed', async () => {
      const lenses = await lensesOf(uri, /GB of 24 GB/);
      return lenses.every(lens => !lens.includes('dry run'));
    });
  });
});
