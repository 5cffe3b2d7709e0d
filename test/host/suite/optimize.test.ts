import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { fileOf, lensesOf, until } from './ask';
import { MemoryFiles } from './memoryFiles';

const SCHEME = 'far';
const CONFIG = '/runs/sft.yaml';
const DEEPSPEED = '/runs/ds.json';
const JSON_TEXT =
  '{\n  "zero_optimization": { "stage": 2 },\n  "train_micro_batch_size_per_gpu": 4,\n  "gradient_accumulation_steps": 4\n}\n';

const files = new MemoryFiles();
const uriOf = (path: string): vscode.Uri => vscode.Uri.from({ scheme: SCHEME, authority: 'box', path });
const documentOf = (path: string): Thenable<vscode.TextDocument> =>
  vscode.workspace.openTextDocument(uriOf(path));

/** Chooses the first plan of the list, like Enter. */
async function applyFirst(done: () => boolean | Promise<boolean>): Promise<void> {
  const optimizing = vscode.commands.executeCommand('headroom.optimize', uriOf(CONFIG), '');
  await until('an answer', async () => {
    await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
    return done();
  });
  await optimizing;
}

describe('a plan for files far away', () => {
  let sample = '';
  let registration: vscode.Disposable;

  before(async () => {
    const bytes = await vscode.workspace.fs.readFile(fileOf('trl/qwen2.5-7b-sft.yaml'));
    sample = `${new TextDecoder().decode(bytes)}deepspeed: ds.json\n`;
    files.put(CONFIG, sample);
    files.put(DEEPSPEED, JSON_TEXT);
    registration = vscode.workspace.registerFileSystemProvider(SCHEME, files, { isCaseSensitive: true });
    await vscode.window.showTextDocument(await documentOf(CONFIG));
    await lensesOf(uriOf(CONFIG), /does not fit/);
  });

  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    registration.dispose();
  });

  it('is applied to all of them with backups, and undone', async () => {
    await applyFirst(() => files.text(DEEPSPEED) !== JSON_TEXT && files.text(CONFIG) !== sample);
    assert.match(files.text(CONFIG) ?? '', /per_device_train_batch_size: [12] #/);
    assert.match(files.text(DEEPSPEED) ?? '', /"train_micro_batch_size_per_gpu": [12],/);
    assert.equal(files.text(`${CONFIG}.backup`), sample);
    assert.equal(files.text(`${DEEPSPEED}.backup`), JSON_TEXT);
    await vscode.commands.executeCommand('headroom.undoOptimization');
    assert.equal(files.text(CONFIG), sample);
    assert.equal(files.text(DEEPSPEED), JSON_TEXT);
    assert.deepEqual(files.names(), [DEEPSPEED, CONFIG]);
  });

  it('is not half applied if one of them is not writable', async () => {
    await lensesOf(uriOf(CONFIG), /does not fit/);
    files.broken = 'ds.json';
    let wasTried = false;
    const watch = vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (document.uri.path === DEEPSPEED && contentChanges.length > 0) wasTried = true;
    });
    try {
      await applyFirst(() => wasTried);
    } finally {
      watch.dispose();
      files.broken = null;
    }
    assert.equal(files.text(CONFIG), sample);
    assert.equal(files.text(DEEPSPEED), JSON_TEXT);
    assert.deepEqual(files.names(), [DEEPSPEED, CONFIG]);
    for (const [path, text] of [
      [CONFIG, sample],
      [DEEPSPEED, JSON_TEXT],
    ] as const) {
      assert.equal((await documentOf(path)).getText(), text);
    }
  });
});
