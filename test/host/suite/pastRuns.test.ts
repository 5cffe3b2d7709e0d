import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { fileOf, until, writeFile } from './ask';

const ARGUMENTS = {
  model: 'Qwen/Qwen2.5-0.5B-Instruct',
  train_type: 'lora',
  lora_rank: 8,
  target_modules: ['all-linear'],
  torch_dtype: 'bfloat16',
  dataset: ['data.jsonl'],
  per_device_train_batch_size: 1,
  gradient_accumulation_steps: 16,
  max_length: 2048,
  gradient_checkpointing: true,
};

const LINE = { loss: 2, 'global_step/max_steps': '10/20', 'memory(GiB)': 3.5, 'train_speed(iter/s)': 0.5 };

const MEASUREMENTS = '.headroom/measurements.jsonl';

const stored = async (): Promise<readonly string[]> => {
  const bytes = await vscode.workspace.fs.readFile(fileOf(MEASUREMENTS)).then(undefined, () => null);
  return bytes === null ? [] : new TextDecoder().decode(bytes).trim().split('\n');
};

describe('past runs', () => {
  before(async () => {
    for (const run of ['v0', 'v1']) {
      await writeFile(`past/${run}/logging.jsonl`, `${JSON.stringify(LINE)}\n`);
      await writeFile(`past/${run}/args.json`, JSON.stringify(ARGUMENTS));
    }
  });
  after(async () => {
    await vscode.workspace.fs.delete(fileOf('past'), { recursive: true });
    await vscode.workspace.fs.delete(fileOf(MEASUREMENTS)).then(undefined, () => undefined);
  });

  it('are listed from a folder, and those that are checked are kept', async () => {
    const before = (await stored()).length;
    let isDone = false;
    const done = vscode.commands
      .executeCommand('headroom.importPastRuns', fileOf('past'))
      .then(() => (isDone = true));
    // All rows are checked at first; the list opens after the logs were read.
    await until('the runs are kept', async () => {
      await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
      await new Promise(resolve => setTimeout(resolve, 200));
      return isDone;
    });
    await done;
    const kept = (await stored()).slice(before).map(line => JSON.parse(line) as Record<string, unknown>);
    assert.deepEqual(
      kept.map(({ config }) => config),
      ['past/v0/args.json', 'past/v1/args.json'],
    );
  });
});
